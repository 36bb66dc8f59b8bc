#pragma once

/// \file
/// Lets the host get ahead of the devices before a batch, and the ranks begin with it together.

#include "contextual/cuda/timing/spin_kernel.hpp"
#include "contextual/cuda/timing/used_contexts.hpp"

#include <contextual/timer.hpp>

#include <cuda.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace contextual::cuda {

/// What an iteration cost.
struct IterationCost {
  std::chrono::nanoseconds host;    ///< until the region returned
  std::chrono::nanoseconds device;  ///< its makespan; 0 if it is not known
};

/// Iterations of a batch: the default warm-ups and repeats of a config.
inline constexpr std::size_t usual_batch = 8;

/// Returns for how long after their meeting the devices of all ranks should wait, so that in a batch of such
/// iterations, as many or `usual_batch`, the host has submitted each iteration's work by the time at which
/// they could begin with it. The host's time of the first iteration counts from the meeting. 0 if the host is
/// so slow that it is not worth while, or if no makespan is known. Pure.
std::chrono::nanoseconds head_start_for(std::span<const IterationCost> batch);

/// Before the first iteration of a batch the devices are idle. A short kernel then ends before the next one
/// is launched, so that the makespan is the host's time; and kernels of a rank that is early wait for those
/// of the others. In production such a region mostly follows other work. So all streams of the contexts wait,
/// on the device, for a kernel of one thread that spins until the time at which all ranks begin, and at most
/// 4 ms. The host does not wait.
///
/// A region that waits for its devices gains nothing: as soon as that is seen there are no more head starts.
/// There are none either with a driver that is older than CUDA 12.5, beside captures, where others may
/// capture, or after a failure. For one thread.
class HeadStart {
 public:
  HeadStart() = default;
  HeadStart(const HeadStart&) = delete;
  HeadStart& operator=(const HeadStart&) = delete;
  /// Waits for the kernel for up to 100 ms.
  ~HeadStart();

  /// Launches the kernel. The first time it also allocates memory and loads code.
  void begin_batch(const BatchStart& start, const UsedContexts& contexts, bool captures_open) noexcept;
  /// Right before and after the region runs.
  void begin_iteration() noexcept { begin_ = Clock::now(); }
  void end_iteration() noexcept;
  /// After all work of the batch has ended.
  void settled(std::span<const IterationTiming> iterations) noexcept;
  /// Before the next batch.
  std::chrono::nanoseconds wanted() const noexcept { return wanted_; }

 private:
  using Clock = std::chrono::steady_clock;

  void launch(const UsedContexts& contexts);
  void judge(std::span<const IterationTiming> iterations);

  BatchStart start_;
  std::vector<std::chrono::nanoseconds> host_;  ///< by iteration of this batch
  Clock::time_point begin_;                     ///< of the iteration
  Clock::time_point first_end_;                 ///< of the batch's first iteration, on the host
  std::chrono::nanoseconds wanted_{0};
  bool given_ = false;          ///< before this batch
  Clock::time_point released_;  ///< when the kernel of this batch ends
  int waits_seen_ = 0;
  bool off_ = false;
  CUcontext context_ = nullptr;  ///< of the kernel
  CUevent event_ = nullptr;
  std::unique_ptr<SpinRuns> spin_;
};

}  // namespace contextual::cuda
