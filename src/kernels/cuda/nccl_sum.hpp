#pragma once

/// \file
/// The sum over the ranks of "separate", behind the products.

#include "kernels/cuda/gemm_scatter.hpp"

#include <contextual/kernels/row_partition.hpp>

#include <cuda.h>

namespace contextual::kernels::cuda {

/// NCCL adds the ranks' partial matrices of all rows, which are where the matrices of each one's workspace
/// begin, and a kernel does what is left to do to the `rows` that this rank gets. Of the call only the
/// epilogue and the result count. Throws CommunicationError with NCCL's words, and CudaError.
void add_by_nccl(CUstream stream, const GemmScatterArgs& args, const Rows& rows);

}  // namespace contextual::kernels::cuda
