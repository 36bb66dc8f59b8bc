#pragma once

/// \file
/// Keeps the device work of successive tuning iterations apart.

#include "contextual/cuda/timing/device_wait.hpp"
#include "contextual/cuda/timing/used_contexts.hpp"
#include "contextual/cuda/timing/used_handles.hpp"

#include <contextual/timer.hpp>

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace contextual::cuda {

/// Makes all device work that is submitted after `join` wait, on the devices, for all that was submitted
/// before it. The host does not wait.
///
/// With a driver for CUDA 12.5 or newer, this holds for all streams of the contexts (cuCtxRecordEvent,
/// cuCtxWaitEvent), of one device or of several. An older driver can join streams only, so it holds for the
/// streams that launches named, for the legacy default stream of each context, and so for the streams that
/// wait for that one. There, a stream that a launch named must outlive the run.
///
/// Where a stream is known to be capturing, nothing is joined, because that would invalidate its capture.
/// Where other threads may capture whenever they like, only the streams that launches named are joined, and
/// must outlive the run.
class IterationJoin {
 public:
  /// Throws CudaUnavailable.
  IterationJoin();
  IterationJoin(const IterationJoin&) = delete;
  IterationJoin& operator=(const IterationJoin&) = delete;
  /// Destroys the events, unless the driver is already gone.
  ~IterationJoin();

  /// Call it before the first iteration. With `Iterations::pipelined`, `join` does nothing.
  void set(Iterations iterations) noexcept;

  /// Call it before each iteration.
  void begin_iteration() noexcept;
  /// Notes the stream of a launch. Called on the launching thread; a load or two, neither lock nor
  /// allocation.
  void launched_on(void* stream) noexcept {
    if (stream != nullptr) {
      streams_.add(static_cast<CUstream>(stream));
    } else if (!default_stream_used_.load(std::memory_order_relaxed)) {
      default_stream_used_.store(true, std::memory_order_relaxed);
    }
  }
  /// Returns the streams that launches of this iteration named, and the legacy default stream of each
  /// context; if others may capture, only where a launch was on one. Throws CudaError.
  std::vector<DeviceWaiter::Stream> streams(const std::vector<CUcontext>& contexts) const;
  /// Returns the streams that launches named in the latest iteration that this thread began, as long as its
  /// join exists. Throws CudaError.
  static std::vector<DeviceWaiter::Stream> streams_of_this_thread();
  /// Notes that a launch of this iteration is captured: the iteration will not be joined. Called on the
  /// launching thread.
  void saw_capture() noexcept { captured_.store(true, std::memory_order_relaxed); }

  /// Joins all contexts with each other at the end of an iteration. `captures_open` says that a stream of one
  /// of them is known to be capturing. Makes an event for each context or stream that is new. A failure
  /// becomes a warning; if contexts cannot be joined, streams are from the next iteration on. Returns true if
  /// the contexts are joined. Cost: one driver call for each pair of contexts, and three for each.
  bool join(const UsedContexts& contexts, bool captures_open) noexcept;

  /// Returns false if a capture kept the latest iteration from being joined, or the one before: the work of
  /// both may then overlap that of others.
  bool kept_apart() const noexcept { return !left_ && !left_before_; }

  /// Adds the warning about the first failure, once.
  void tell(BatchConditions& conditions);

 private:
  using Stream = DeviceWaiter::Stream;
  struct Event {
    CUcontext context = nullptr;
    CUevent event = nullptr;
  };

  bool join_contexts(const std::vector<CUcontext>& contexts);
  void join_streams(const std::vector<CUcontext>& contexts);
  CUevent event(CUcontext context, std::size_t index);
  void failed(const char* reason) noexcept;

  bool joins_ = true;
  bool left_ = false;  ///< the latest iteration, because of a capture
  bool left_before_ = false;
  std::atomic<bool> by_streams_{false};
  std::atomic<bool> captured_{false};
  UsedHandles<CUstream> streams_;  ///< that launches of this iteration named
  std::atomic<bool> default_stream_used_{false};
  std::vector<Event> events_;  ///< reused by every iteration
  bool has_failed_ = false;
  std::string warning_;  ///< not told yet
};

}  // namespace contextual::cuda
