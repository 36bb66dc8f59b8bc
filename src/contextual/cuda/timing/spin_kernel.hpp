#pragma once

/// \file
/// A kernel that keeps one thread of a device busy for a given time and notes by the device's own clock when
/// it began and ended: what a timer's method is held against.

#include <cuda.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace contextual::cuda {

/// Some launches of that kernel, one after the other, on a stream of their own in the current context. Makes
/// device memory, so never inside a region. Everything throws CudaError.
class SpinRuns {
 public:
  /// Room for `count` launches that note their times.
  explicit SpinRuns(std::size_t count);
  SpinRuns(const SpinRuns&) = delete;
  SpinRuns& operator=(const SpinRuns&) = delete;
  /// Frees memory and stream; leaks them when launches did not end in time.
  ~SpinRuns();

  CUstream stream() const noexcept { return stream_; }

  /// Spins for `length`, or for a fixed number of looks at the clock, if that stands still.
  void launch(std::size_t index, std::chrono::nanoseconds length);

  /// How long each one took by its own clock; -1 for one that was not launched. Waits for the stream, not for
  /// other work. Throws Error when it does not end within 100 ms, e.g. because the device is occupied.
  std::vector<std::int64_t> wait();

 private:
  void wait_for_stream();

  std::size_t count_ = 0;
  CUstream stream_ = nullptr;
  CUdeviceptr times_ = 0;  ///< begin and end of each, in ns
  bool outstanding_ = false;
};

}  // namespace contextual::cuda
