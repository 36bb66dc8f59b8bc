#pragma once

/// \file
/// The all-gather GEMM whose rows copy engines bring.

#include "kernels/cuda/gemm_gather.hpp"

#include <cuda.h>

namespace contextual::kernels::cuda {

/// True if copies run beside kernels, and each rank has so many rows that they come sooner than the kernel
/// fetches them. The same for all m of a bucket.
bool may_be_copied(const GemmGatherArgs& args);

/// Multiplies own rows, which are in place, and those of the others, which copies bring meanwhile. A call on
/// the workspace, as that of `gemm_gather`. Throws what the launch throws, and CudaError.
void gather_by_copies(CUstream stream, GemmGatherArgs args);

}  // namespace contextual::kernels::cuda
