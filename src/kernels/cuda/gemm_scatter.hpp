#pragma once

/// \file
/// The GEMM reduce-scatter in one kernel: every tile goes to the rank that owns it, which adds the parts of
/// all ranks.

#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/cuda.hpp>
#include <contextual/kernels/cuda/gemm_reduce_scatter.hpp>

#include <cstddef>

namespace contextual::kernels::cuda {

/// Where a call's matrices are in each rank's part of the workspace: a slot for the rows that a rank gets
/// from each rank, or from each of its splits of k. The way by NCCL has the partial matrix of all rows there,
/// and one slot more behind it, if each rank gets its own.
struct ScatterLayout {
  int ranks = 1;
  int rows_of_owner = 0;
  std::size_t row_bytes = 0;
  bool all_rows = false;

  static constexpr int rows_of_splits = 1024;  ///< in slots of splits, at most: a few megabytes

  std::size_t row(int index) const noexcept { return static_cast<std::size_t>(index) * row_bytes; }
  std::size_t slot(int source) const noexcept {
    return static_cast<std::size_t>(source) * row(rows_of_owner);
  }
  /// Is no less for more rows.
  std::size_t bytes() const noexcept;
};
ScatterLayout layout_of(const GemmReduceScatterShape& shape, int ranks);

/// Returns into how many parts k may be split with the rows of the bucket; 0: they are too many for a kernel
/// that does.
int most_splits(const GemmReduceScatterShape& shape, int ranks);

/// One call of an object. The shape's m is the call's.
struct GemmScatterArgs {
  PeerWorkspace::Parts* workspace = nullptr;
  GemmReduceScatterShape shape;
  GemmReduceScatterCall call;
};

/// "cuda_gemm_reduce_scatter". Key: bucket of m, n, k, type, ranks, bits. A launch is a call on the
/// workspace, from its begin to its end: it advances the epoch.
using GemmScatter = CudaKernel<GemmConfig, GemmScatterArgs>;
GemmScatter& gemm_scatter();
ConfigSpace<GemmConfig> gemm_scatter_space();

}  // namespace contextual::kernels::cuda
