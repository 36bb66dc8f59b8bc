#pragma once

/// \file
/// Tensor maps, which describe matrices to the copy engine.

#include <cuda.h>

namespace contextual::kernels::cuda {

/// A row-major matrix of 16-bit values, `bf16` or fp16; or several of them, a dimension more.
struct TensorMapMatrix {
  const void* data;
  int rows;
  int columns;
  bool bf16;
  int pitch = 0;         ///< values from row to row, a multiple of 8; 0 if it is dense
  int matrices = 0;      ///< 0 for one, without that dimension
  int rows_to_next = 0;  ///< from the begin of a matrix to that of the next one
};

/// Returns the tensor map of a matrix that is copied in boxes of `box_rows` (at most 256) times 64 values,
/// with the 128-byte swizzle in shared memory. Does not touch a device. Throws CudaUnavailable if the driver
/// is too old, and ConfigRejected with the driver's words if it refuses the map.
CUtensorMap tensor_map(const TensorMapMatrix& matrix, int box_rows);

}  // namespace contextual::kernels::cuda
