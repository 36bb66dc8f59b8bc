#pragma once

#include <contextual/deadline.hpp>

#include <cuda.h>

#include <memory>
#include <vector>

namespace contextual::cuda {

/// Waits for devices with a bound, which the driver does not offer. A thread of its own, started by the first
/// wait and kept for later ones, waits without a bound. Cost of a wait in addition to cuCtxSynchronize: two
/// wake-ups of a thread. Not thread-safe.
class DeviceWaiter {
 public:
  DeviceWaiter() = default;
  DeviceWaiter(const DeviceWaiter&) = delete;
  DeviceWaiter& operator=(const DeviceWaiter&) = delete;
  /// Ends the thread, or abandons it if it still waits.
  ~DeviceWaiter();

  /// Waits until all work of these contexts is done. Throws CudaError if a context has failed, and Error if
  /// the deadline expires first. In that case it abandons the waiting thread, because the work may never end,
  /// and the next wait starts another thread.
  void wait(const std::vector<CUcontext>& contexts, Deadline deadline);

  /// Returns true if a thread was abandoned, which may stay in the driver for ever.
  bool left_a_thread() const noexcept { return left_a_thread_; }

 private:
  struct Shared;

  std::shared_ptr<Shared> shared_;  ///< shared with the thread, which may outlive this object
  bool left_a_thread_ = false;
};

}  // namespace contextual::cuda
