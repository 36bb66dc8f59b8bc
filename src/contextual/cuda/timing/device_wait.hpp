#pragma once

#include <contextual/deadline.hpp>

#include <cuda.h>

#include <memory>
#include <vector>

namespace contextual::cuda {

/// Waits for devices with a bound, which the driver does not offer: a thread of its own, made by the first
/// wait and kept for the later ones, waits without one. A wait costs two wake-ups of a thread over
/// cuCtxSynchronize. Not thread-safe.
class DeviceWaiter {
 public:
  DeviceWaiter() = default;
  DeviceWaiter(const DeviceWaiter&) = delete;
  DeviceWaiter& operator=(const DeviceWaiter&) = delete;
  /// Ends the thread; one that still waits is left alone.
  ~DeviceWaiter();

  /// Waits until all work of these contexts is done. Throws CudaError when a context has failed, and Error
  /// when the deadline expires first: work that never ends cannot be waited for, so the thread that does is
  /// left alone then, and the next wait makes another one.
  void wait(const std::vector<CUcontext>& contexts, Deadline deadline);

  /// A thread was left alone: it may be in the driver for ever.
  bool left_a_thread() const noexcept { return left_a_thread_; }

 private:
  struct Shared;

  std::shared_ptr<Shared> shared_;  ///< with the thread, which may outlive this
  bool left_a_thread_ = false;
};

}  // namespace contextual::cuda
