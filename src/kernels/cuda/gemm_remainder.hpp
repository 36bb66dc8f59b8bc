#pragma once

/// \file
/// What is left to do to C behind cuBLASLt and NCCL, which know no epilogue here.

#include "kernels/cuda/gemm_epilogue.hpp"

#include <cuda.h>

namespace contextual::kernels::cuda {

/// Launches a plain kernel that is not tuned. Throws CudaError if that fails.
void finish_gemm(CUstream stream, const GemmRemainder& remainder);

/// Compiles and loads the kernel, as the first launch would. Throws as CudaKernel::load does.
void load_gemm_remainder();

}  // namespace contextual::kernels::cuda
