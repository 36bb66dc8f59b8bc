#pragma once

/// \file
/// Timers for regions that launch on GPUs. docs/measuring.md says what each of them measures, and at what
/// cost.

#include <contextual/export.hpp>
#include <contextual/timer.hpp>

#include <memory>

namespace contextual {

/// Makes a timer that reads CUPTI's records of kernels and copies, which still overlap. A launch costs the
/// host 0.75 to 2.2 us more; a replay of a graph costs it more with each node, 133 us with 200 kernels, and
/// 16 parallel branches of a graph take 19 to 35 % longer. A launch's time is that from the first start to
/// the last end of its kernels and copies on a device; the longest of its devices counts. The makespan of a
/// tuning iteration lasts from the first start to the last end of everything that the process does on its
/// devices.
///
/// Throws CudaUnavailable if CUPTI cannot be used: a profiler or another timer of this process uses it or, as
/// PyTorch's, has used it, the application has CUPTI record its kernels, a permission or the library is
/// missing, kernels run for longer than half of the deadline, for which CUPTI waits when it is attached, or a
/// test kernel gets no sound record. Use `cuda_event_timer` then. Where the timers of ranks differ because of
/// that, all of them take events.
CONTEXTUAL_API std::unique_ptr<Timer> cuda_cupti_timer();

/// Options of a CUPTI timer.
struct CuptiTimerOptions {
  /// If true, CUPTI is detached from the process at the end of the run, so that launches cost what they did
  /// before, where that is safe as far as it can be known: no other thread was seen in CUDA while a timer of
  /// the process measured, and no work is under way. Each detachment loses about 0.6 MiB of device memory
  /// within CUPTI, so only the first 8 runs detach it. Otherwise the timer only unsubscribes, which is said
  /// once on stderr: a launch then costs about 0.6 us more until `detach_cupti`. False: it never detaches.
  ///
  /// To attach CUPTI is not safe either while another thread captures or destroys graphs. A process with such
  /// threads tunes once before they begin, with false.
  bool detach = true;
};

/// The same with options: `options.timer = [] { return cuda_cupti_timer_with({.detach = false}); }`.
CONTEXTUAL_API std::unique_ptr<Timer> cuda_cupti_timer_with(const CuptiTimerOptions& options);

/// Detaches CUPTI from the process if runs have left it attached; for a program that has tuned many regions
/// and now goes on without tuning. Waits for all work on the devices. Call it while no other thread is inside
/// CUDA, and no kernel waits for what the calling thread will do. Returns false if CUPTI stays attached:
/// because a run is using it, because the work of a run that gave up has not ended and no later run has taken
/// CUPTI over, because the application has CUPTI record its kernels, or because CUPTI refuses. Thread-safe;
/// runs that begin meanwhile are timed by events.
CONTEXTUAL_API bool detach_cupti() noexcept;

/// Makes a timer that records a pair of CUDA events around each launch in the walk, and around each tuning
/// iteration. It works wherever CUDA does. Around launches it serialises what would overlap, overstates times
/// by some us, and measures intercepted launches only; so in the search it records none, and own times are
/// missing there. A makespan lasts until all work of the region's contexts has ended. Where iterations cannot
/// be joined (docs/measuring.md), launches have events in the search, too, and make up the makespan. A launch
/// without a stream argument is timed on the legacy default stream. Throws CudaUnavailable without a GPU.
CONTEXTUAL_API std::unique_ptr<Timer> cuda_event_timer();

/// Makes a CUPTI timer, or an event timer if CUPTI cannot be used, which is said on stderr once per process.
/// Throws CudaUnavailable without a GPU.
CONTEXTUAL_API std::unique_ptr<Timer> cuda_timer();
CONTEXTUAL_API std::unique_ptr<Timer> cuda_timer_with(const CuptiTimerOptions& options);

/// Makes a timer for programs with kernels on GPUs, on the host, or on both: `Options{.timer =
/// cuda_or_host_timer}`, or once `set_default_timer(cuda_or_host_timer)`.
///
/// It is `host_timer` unless there is a GPU and either the program has a context on it or a living tunable
/// kernel works on a GPU, which is one whose launcher takes a cudaStream_t or returns a status of CUDA, such
/// as cudaError_t. Otherwise it times launches of kernels that work on a GPU as `cuda_timer` does, and
/// launches of other kernels by the host's clock. The makespan of a tuning iteration is that of the devices;
/// if host kernels were launched and the region took longer on the host, it is the host's time.
CONTEXTUAL_API std::unique_ptr<Timer> cuda_or_host_timer();
/// The same, where the device timer has options.
CONTEXTUAL_API std::unique_ptr<Timer> cuda_or_host_timer_with(const CuptiTimerOptions& options);

}  // namespace contextual
