#pragma once

#include <contextual/cuda/program.hpp>

#include <cuda.h>

#include <string>

namespace contextual::cuda {

/// Throws CudaError.
int device_attribute(CUdevice device, CUdevice_attribute which);

/// The limits of a device for one block.
struct DeviceLimits {
  int compute_capability = 0;      ///< 90 for 9.0
  int shared_bytes_per_block = 0;  ///< for a kernel whose limit of shared memory is raised
  int threads_per_block = 0;
  CudaDim grid{0x7fffffff, 65535, 65535};  ///< the largest in each direction
  CudaDim block{1024, 1024, 64};           ///< the largest in each direction

  /// Throws CudaError.
  static DeviceLimits of(CUdevice device);
};

/// Returns the device of the current context. Throws CudaError if there is no current context.
CUdevice current_device();

/// Returns why the function cannot be launched with this layout, or an empty text if it can. Asks the driver.
/// Raises the function's limit of dynamic shared memory as far as the layout needs.
std::string layout_problem(CUfunction function, const CudaLayout& layout, const DeviceLimits& limits);

}  // namespace contextual::cuda
