#pragma once

#include <contextual/cuda/program.hpp>

#include <cuda.h>

#include <string>

namespace contextual::cuda {

/// What one device allows a block.
struct DeviceLimits {
  int compute_capability = 0;      ///< 90 for 9.0
  int shared_bytes_per_block = 0;  ///< with the attribute raised
  int threads_per_block = 0;
  CudaDim grid{0x7fffffff, 65535, 65535};  ///< the largest in each direction
  CudaDim block{1024, 1024, 64};           ///< the largest in each direction

  /// Throws CudaError.
  static DeviceLimits of(CUdevice device);
};

/// The current context's device. Throws CudaError when there is none.
CUdevice current_device();

/// Why this function cannot be launched so, by the driver's own answers; empty: it can. Raises the function's
/// limit of dynamic shared memory as far as the layout needs it.
std::string layout_problem(CUfunction function, const CudaLayout& layout, const DeviceLimits& limits);

}  // namespace contextual::cuda
