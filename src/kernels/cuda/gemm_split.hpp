#pragma once

/// \file
/// The GEMM reduce-scatter of few rows in one kernel, which also splits k between the blocks of a rank.

#include "kernels/cuda/gemm_scatter.hpp"

#include <contextual/config_space.hpp>
#include <contextual/cuda.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/resource_limits.hpp>

namespace contextual::kernels::cuda {

/// Sizes are in elements.
struct GemmSplitConfig {
  int block_m = 64;   ///< a tile's rows
  int block_n = 128;  ///< a tile's columns
  int cluster = 1;    ///< blocks, one below the other, that share each load of B
  int splits = 1;     ///< of k

  GemmConfig tile() const noexcept;  ///< with as many stages as fit
};
ConfigSpace<GemmSplitConfig> gemm_split_space();
ResourceNeeds gemm_split_needs(const GemmSplitConfig& config);
/// Returns true if a config may be chosen for these arguments, and all others of their bucket.
bool may_be_chosen(const GemmSplitConfig& config, const GemmScatterArgs& args);

/// "cuda_gemm_split_reduce_scatter". Key: bucket of m, n, k, type, ranks, who gets which rows, bits. A launch
/// is a call on the workspace, from its begin to its end: it advances the epoch.
///
/// With one split the bits are those of "cuda_gemm_reduce_scatter".
using GemmSplit = CudaKernel<GemmSplitConfig, GemmScatterArgs>;
GemmSplit& gemm_split();

}  // namespace contextual::kernels::cuda
