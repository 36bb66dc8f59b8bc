#pragma once

/// \file
/// AllGatherMoe: every rank multiplies the rows of all ranks with its part of the experts they choose, and
/// begins before they have arrived.

#include <contextual/export.hpp>
#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/expert_routing.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <cstddef>
#include <memory>

namespace contextual::kernels::cuda {

/// The largest problem of an object. A of all ranks is m x k, and rank r holds the rows
/// `RowPartition(m, ranks).shard(r)` of it; of each expert this rank has n x k weights.
struct AllGatherMoeShape {
  int m = 0;  ///< at most; a call may have fewer rows
  int n = 0;  ///< a multiple of 8
  int k = 0;  ///< a multiple of 8
  int experts = 0;
  int top_k = 0;
  GemmType type = GemmType::bf16;
};

/// What becomes of the gathered rows: as GroupedGemmArgs says.
struct ExpertProduct {
  /// Of the rows of all ranks, as many as the call has, prepared in stream order, from all rows or from own
  /// ones, with this rank and all ranks as its RoutingRanks; the same on all ranks but for those.
  const ExpertRouting* routing = nullptr;
  const void* weights = nullptr;  ///< of this rank, [experts, n, k], dense; with a gate [experts, 2 n, k]
  void* c = nullptr;              ///< [m * top_k, n], by position
  bool gated = false;             ///< C = activation(A * gate^T) * (A * up^T)
  Activation activation = Activation::none;
};

/// C[position, n] = activation(A[row of the position, k] * weights[its expert, n, k]^T), where every rank has
/// a part of A's rows and its own part of each expert's weights; the first half of a tensor parallel mixture
/// of experts. Tiles whose rows are this rank's are computed first, while the others come.
///
/// There are two ways, between which "cuda_allgather_moe_ways" chooses:
/// - "overlapped": one kernel ("cuda_allgather_moe") multiplies, and fetches the others' rows meanwhile.
/// - "separate": NCCL gathers the rows, then "cuda_grouped_gemm" multiplies.
///
/// For a gated product they are "cuda_allgather_gated_moe_ways", "cuda_allgather_gated_moe" and
/// "cuda_grouped_gated_mlp". They are tuned in a region of the caller's; before that, "overlapped" is used
/// where it is possible. All configs of "overlapped" give equal bits.
///
/// Keys have the bucket of m, as those of AllGatherGemm, n, k, experts, top_k, type and ranks, but not how
/// rows are spread over the experts: a choice is as good as the routing that it was tuned with is typical.
/// With few experts that take most rows, larger tiles win; with many that take a few each, smaller ones.
///
/// The objects of one workspace share its memory. Construction is not collective, but all ranks make the same
/// calls in the same order. One thread at a time uses the objects of a workspace.
class CONTEXTUAL_API AllGatherMoe {
 public:
  /// Returns how large a workspace must be for this shape, in bytes, with those that an ExpertRouting needs.
  static std::size_t workspace_bytes(const AllGatherMoeShape& shape);

  /// Throws as AllGatherGemm does.
  AllGatherMoe(std::shared_ptr<PeerWorkspace> workspace, const AllGatherMoeShape& shape);

  const AllGatherMoeShape& shape() const noexcept { return shape_; }
  /// As those of AllGatherGemm.
  Rows own_rows(int m = 0) const;
  void* input(int m = 0) const;
  const void* gathered() const noexcept;

  /// Gathers and multiplies, in the order of `stream`, without waiting on the host. All ranks must make the
  /// call. Works under stream capture, and throws, as AllGatherGemm's does; and InvalidArgument for a routing
  /// of other sizes or ranks. If the other ranks do not come within the workspace's budget, C is filled with
  /// NaN.
  void operator()(CUstream stream, const GatheredRows& rows, const ExpertProduct& product);

 private:
  std::shared_ptr<PeerWorkspace> workspace_;
  AllGatherMoeShape shape_;
};

}  // namespace contextual::kernels::cuda
