#pragma once

/// \file
/// A kernel that keeps one thread of a device busy for a given time, and notes its begin and end by the
/// device's own clock. A timer's method is compared with these times.

#include <cuda.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace contextual::cuda {

/// Loads it in the current context, if that can be done.
void load_spin_kernel() noexcept;

/// Launches that kernel several times in sequence, on a stream of its own in the current context. Allocates
/// device memory, so never use it inside a region. All functions throw CudaError.
class SpinRuns {
 public:
  /// Makes room for the times of `count` launches.
  explicit SpinRuns(std::size_t count);
  SpinRuns(const SpinRuns&) = delete;
  SpinRuns& operator=(const SpinRuns&) = delete;
  /// Frees the memory and the stream, or leaks them if launches did not end in time.
  ~SpinRuns();

  CUstream stream() const noexcept { return stream_; }

  /// Launches the kernel, which spins for `length`, or for a fixed number of clock reads if the clock stands
  /// still.
  void launch(std::size_t index, std::chrono::nanoseconds length);

  /// Returns how long each launch took by the device's clock, in ns, or -1 if it was not launched. Waits for
  /// the stream but not for other work. Throws Error if that takes more than 100 ms, e.g. because the device
  /// is occupied.
  std::vector<std::int64_t> wait();

 private:
  void wait_for_stream();

  std::size_t count_ = 0;
  CUstream stream_ = nullptr;
  CUdeviceptr times_ = 0;  ///< begin and end of each, in ns
  bool outstanding_ = false;
};

}  // namespace contextual::cuda
