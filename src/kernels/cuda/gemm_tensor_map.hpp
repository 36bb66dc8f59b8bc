#pragma once

/// \file
/// What the copy engine knows of a matrix.

#include <cuda.h>

namespace contextual::kernels::cuda {

/// A dense row-major matrix of 16-bit values; `bf16` or fp16.
struct TensorMapMatrix {
  const void* data;
  int rows;
  int columns;
  bool bf16;
};

/// Copied in boxes of `box_rows` (at most 256) times 64 values, in shared memory with the 128-byte swizzle.
/// Touches no device. Throws CudaUnavailable where the driver is too old, ConfigRejected with what it said.
CUtensorMap tensor_map(const TensorMapMatrix& matrix, int box_rows);

}  // namespace contextual::kernels::cuda
