#pragma once

/// \file
/// Timers for regions that launch on GPUs. docs/measuring.md says what each measures, and at which cost.

#include <contextual/export.hpp>
#include <contextual/timer.hpp>

#include <memory>

namespace contextual {

/// CUPTI's records of kernels and copies: the region runs almost as without a timer, copies and kernels still
/// overlap. A launch's time is the union of what it put on a device; a tuning iteration's makespan runs from
/// the first start to the last end of everything the process did on its devices.
///
/// Throws CudaUnavailable when CUPTI cannot be had: another subscriber (a profiler) is attached, no
/// permission, no library, or a kernel of its own gets no sound record. Then use `cuda_event_timer`.
CONTEXTUAL_API std::unique_ptr<Timer> cuda_cupti_timer();

/// How a CUPTI timer behaves.
struct CuptiTimerOptions {
  /// When the run is over CUPTI is detached from the process, so that launches cost what they did before.
  /// That is safe only while no other thread is in CUDA: a process whose other threads launch all the time
  /// says false. CUPTI is then only unsubscribed from, and a launch costs some 0.6 us more from the first run
  /// on.
  bool detach = true;
};

/// `options.timer = [] { return cuda_cupti_timer_with({.detach = false}); }`.
CONTEXTUAL_API std::unique_ptr<Timer> cuda_cupti_timer_with(const CuptiTimerOptions& options);

/// A pair of CUDA events around each launch: works wherever CUDA does, but serialises what would overlap,
/// reads some us too long, and sees intercepted launches only. A launch without a stream argument is timed on
/// the legacy default stream.
CONTEXTUAL_API std::unique_ptr<Timer> cuda_event_timer();

/// The first of the two that can be had, said once in the process on stderr when it is the second. Throws
/// CudaUnavailable without a GPU.
CONTEXTUAL_API std::unique_ptr<Timer> cuda_timer();
CONTEXTUAL_API std::unique_ptr<Timer> cuda_timer_with(const CuptiTimerOptions& options);

/// For programs with kernels on GPUs, on the host, or on both: `Options{.timer = cuda_or_host_timer}`, or
/// once `set_default_timer(cuda_or_host_timer)`.
///
/// Where there is a GPU, and the program has a context on it or a living tunable kernel takes a cudaStream_t:
/// `cuda_timer` for launches of kernels that take one, and the host's clock for those of other kernels; so a
/// launcher that works on a GPU takes its stream as an argument. Else `host_timer`. A tuning iteration's
/// makespan is the devices', or the host's time in the region where host kernels were launched and that is
/// longer.
CONTEXTUAL_API std::unique_ptr<Timer> cuda_or_host_timer();

}  // namespace contextual
