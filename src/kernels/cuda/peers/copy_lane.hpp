#pragma once

/// \file
/// Copies between devices that run beside a kernel.

#include <cuda.h>

#include <cstddef>

namespace contextual::kernels::cuda {

/// A stream for the copies of a call, which need no multiprocessor. One of a workspace.
///
/// They begin when the call's kernel says so by a word, not when a kernel ends: beside one that keeps the
/// device busy, the end of another is seen some 40 us late. The kernel is launched before the wait for its
/// word, so that it does not stand behind that, even if all streams share a queue.
class CopyLane {
 public:
  CopyLane() = default;
  CopyLane(const CopyLane&) = delete;
  CopyLane& operator=(const CopyLane&) = delete;
  ~CopyLane();

  /// What is copied is ready here, in the order of `stream`. Throws CudaError, or CudaUnavailable.
  void begin(CUstream stream);
  /// After the launch of the kernel, which always writes 1 to the word, in its own device's memory: copies
  /// begin then, and the word becomes 0. Throws CudaError.
  void begin_when_set(unsigned* word);
  /// Copies rows of `row_bytes` that lie `pitch` bytes apart, in order, each after the one before. Throws
  /// CudaError.
  void copy(void* to, const void* from, std::size_t pitch, std::size_t row_bytes, std::size_t rows);
  /// What comes next on the stream follows the copies. Throws CudaError.
  void join(CUstream stream);

 private:
  CUstream lane_ = nullptr;
  CUevent ready_ = nullptr;
  CUevent done_ = nullptr;
};

}  // namespace contextual::kernels::cuda
