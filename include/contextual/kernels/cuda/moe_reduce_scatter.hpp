#pragma once

/// \file
/// MoeReduceScatter: every rank multiplies with its part of k of the experts that rows choose, and each rank
/// gets the sum of its rows.

#include <contextual/export.hpp>
#include <contextual/kernels/cuda/expert_routing.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <cstddef>
#include <memory>

namespace contextual::kernels::cuda {

/// The largest problem of an object: m rows of all ranks, of which each chooses top_k experts. Of each expert
/// this rank has n x k weights, where k is this rank's part of the inner dimension.
struct MoeReduceScatterShape {
  int m = 0;  ///< at most; a call may have fewer rows
  int n = 0;  ///< a multiple of 8
  int k = 0;  ///< a multiple of 8
  int experts = 0;
  int top_k = 0;
  GemmType type = GemmType::bf16;
};

/// C[own rows, n] = sum over the ranks of the sum over the places in top_k of topk_weights[row, place] *
/// (A[position of (row, place), k] * weights[its expert, n, k]^T), row major and dense, where rank r owns the
/// rows `RowPartition(m, ranks).shard(r)`. A row that chooses no expert is zero.
struct MoeReduceScatterCall {
  const ExpertRouting* routing = nullptr;  ///< of the m rows of all ranks, prepared in stream order
  const float* topk_weights = nullptr;     ///< [m, top_k], on the device; equal on all ranks
  const void* a = nullptr;                 ///< [m * top_k, k], by position
  const void* weights = nullptr;           ///< [experts, n, k]
  void* c_rows = nullptr;                  ///< [own_rows(m), n]
  int m = 0;                               ///< equal on all ranks; 0 for the shape's
};

/// The second half of a tensor parallel mixture of experts, see MoeReduceScatterCall: its A is what
/// AllGatherMoe or "cuda_grouped_gated_mlp" computes. All ranks route all rows in the same way.
///
/// Each product is rounded to the type. A rank's products of a row are added in float, in the order of the
/// places, and the sum is rounded; the ranks' sums are added in float in the order of the ranks, and rounded.
///
/// There are two ways, between which "cuda_moe_reduce_scatter_ways" chooses. In both "cuda_grouped_gemm"
/// multiplies first; then
/// - "overlapped": one kernel ("cuda_expert_sum_reduce_scatter") sums over the experts, stores rows of other
///   ranks at the rank that owns them, and adds the others' sums to own rows.
/// - "separate": "cuda_expert_sum" sums over the experts, then NCCL over the ranks, in its own order and
///   precision.
///
/// They are tuned in a region of the caller's; before that, "overlapped" is used where it is possible. All
/// configs of "overlapped" give equal bits; PeerWorkspaceOptions::equal_bits keeps to them. Keys have the
/// bucket of m, as those of AllGatherGemm, n, k, experts, top_k, type and ranks, but not how rows are spread
/// over the experts: tune with a routing that is typical.
///
/// The objects of one workspace share its memory. Construction is not collective, but all ranks make the same
/// calls in the same order. One thread at a time uses the objects of a workspace.
class CONTEXTUAL_API MoeReduceScatter {
 public:
  /// Returns how large a workspace must be for this shape, in bytes: the products of all positions are there.
  /// Throws InvalidArgument for sizes that are none.
  static std::size_t workspace_bytes(const MoeReduceScatterShape& shape, int ranks);

  /// Throws as GemmReduceScatter does.
  MoeReduceScatter(std::shared_ptr<PeerWorkspace> workspace, const MoeReduceScatterShape& shape);

  const MoeReduceScatterShape& shape() const noexcept { return shape_; }
  /// Returns the rows of C that this rank gets in a call with `m` rows, 0 for the shape's; may be empty.
  /// Throws InvalidArgument if it has more.
  Rows own_rows(int m = 0) const;

  /// Multiplies and sums, in the order of `stream`, without waiting on the host. All ranks must make the
  /// call. Works under stream capture, and throws, as GemmReduceScatter's does; and InvalidArgument for a
  /// routing of other sizes. If the other ranks do not come within the workspace's budget, C is filled with
  /// NaN.
  void operator()(CUstream stream, const MoeReduceScatterCall& call);

 private:
  std::shared_ptr<PeerWorkspace> workspace_;
  MoeReduceScatterShape shape_;
};

}  // namespace contextual::kernels::cuda
