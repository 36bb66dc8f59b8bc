#pragma once

/// \file
/// The sum over experts and ranks in one kernel, behind the experts' products.

#include "kernels/cuda/gemm_scatter.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/config_space.hpp>
#include <contextual/cuda.hpp>
#include <contextual/kernels/cuda/moe_reduce_scatter.hpp>

#include <cstddef>

namespace contextual::kernels::cuda {

/// One call of an object. The shape's m is the call's.
struct MoeScatterArgs {
  PeerWorkspace::Parts* workspace = nullptr;
  MoeReduceScatterShape shape;
  MoeReduceScatterCall call;
};

/// Where a call's matrices are in each rank's part of the workspace: as those of a GEMM reduce-scatter with
/// these rows, and behind them the products of all positions, which nobody else reads or writes.
struct MoeScatterLayout {
  ScatterLayout sums;
  std::size_t positions = 0;

  std::size_t products() const noexcept { return sums.slot(sums.ranks + 1); }
  /// Is no less for more rows.
  std::size_t bytes() const noexcept { return products() + positions * sums.row_bytes; }
};
MoeScatterLayout layout_of(const MoeReduceScatterShape& shape, int ranks);

/// What the ranks' sums have in common with those of a GEMM.
GemmReduceScatterShape sum_shape(const MoeReduceScatterShape& shape);

/// Returns where this rank's products are.
std::byte* products_of(const MoeScatterArgs& args);

struct ExpertSumScatterConfig {
  int threads = 256;   ///< of a block
  int unit_rows = 16;  ///< that a block sums at a time
};

/// "cuda_expert_sum_reduce_scatter". Key: bucket of m, top_k, n, type, ranks. A launch is a call on the
/// workspace, from its begin to its end: it advances the epoch.
using ExpertSumScatter = CudaKernel<ExpertSumScatterConfig, MoeScatterArgs>;
ExpertSumScatter& expert_sum_scatter();
ConfigSpace<ExpertSumScatterConfig> expert_sum_scatter_space();

}  // namespace contextual::kernels::cuda
