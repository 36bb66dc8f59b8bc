#pragma once

/// \file
/// The sum of all ranks' products in one kernel that reads them from their memory.

#include "kernels/cuda/gemm_scatter.hpp"

#include <contextual/kernels/row_partition.hpp>

#include <cuda.h>

namespace contextual::kernels::cuda {

/// Adds what each rank's product has of this rank's rows, where "separate" has it, too. The product must be
/// ahead on the stream. A launch is a call on the workspace, from its begin to its end: it advances the
/// epoch. Throws CudaError.
void add_in_one_shot(CUstream stream, const GemmScatterArgs& args, const Rows& rows);

/// Compiles and loads the kernel, as the first launch would. Throws as CudaKernel::load does.
void load_one_shot_sum();

}  // namespace contextual::kernels::cuda
