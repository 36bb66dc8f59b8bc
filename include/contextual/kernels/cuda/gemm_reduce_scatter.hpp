#pragma once

/// \file
/// GemmReduceScatter: every rank multiplies with its part of k, and each rank gets the sum of its rows.

#include <contextual/cuda.hpp>
#include <contextual/export.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <cstddef>
#include <memory>

namespace contextual::kernels::cuda {

/// The largest problem of an object. A of this rank is m x k, B of this rank n x k, where k is this rank's
/// part of the inner dimension.
struct GemmReduceScatterShape {
  int m = 0;  ///< at most; a call may have fewer rows
  int n = 0;  ///< a multiple of 8
  int k = 0;  ///< a multiple of 8
  GemmType type = GemmType::bf16;
  bool all_rows = false;  ///< every rank gets all rows of the sum: an all-reduce
};

/// C[own rows, n] = residual[own rows, n] + activation(sum over the ranks of A[own rows, k] * B[n, k]^T +
/// bias[n]), row major, where rank r owns the rows `RowPartition(m, ranks).shard(r)`. Everything behind the
/// sum is computed in float, once, by the rank that owns the rows. There is no alpha and no beta.
///
/// Pitches are values from one row to the next; 0 if a matrix is dense.
struct GemmReduceScatterCall {
  const void* a = nullptr;         ///< [m, k]
  const void* b = nullptr;         ///< [n, k], dense
  void* c_rows = nullptr;          ///< [own_rows(m), n]
  const void* bias = nullptr;      ///< null for none; of C's type, as the residual
  const void* residual = nullptr;  ///< [own_rows(m), n]; null for none; may be `c_rows`, with its pitch
  Activation activation = Activation::none;
  int m = 0;  ///< equal on all ranks; 0 for the shape's
  int a_pitch = 0;
  int c_pitch = 0;
  int residual_pitch = 0;
};

/// The sum of the ranks' products for own rows, see GemmReduceScatterCall; tensor parallel layers with
/// row-wise split weights need this.
///
/// Each rank's part is rounded to the type. The parts are added in float in the order of the ranks, and the
/// sum is rounded.
///
/// There are four ways, among which "cuda_reduce_scatter_ways" chooses; with `all_rows` there are the last
/// three, and "cuda_all_reduce_ways" chooses:
/// - "overlapped": one kernel ("cuda_gemm_reduce_scatter") multiplies, stores each tile at the rank that owns
///   it, and adds the others' parts to own tiles.
/// - "split", for few rows: one kernel ("cuda_gemm_split_reduce_scatter") multiplies the rows of all ranks at
///   the same time, so that B comes from memory once, and splits k into 1 to 8 where there are fewer tiles
///   than multiprocessors; then it adds all parts. Each split is a part of its own, so the bits depend on
///   their number. Splits times rows (the bucket of m, rounded up to a multiple of the ranks; with `all_rows`
///   times the ranks) are at most 1024; with more rows "split" is no candidate.
/// - "one_shot", for as few rows: cuBLASLt multiplies, then one kernel reads all ranks' parts of own rows
///   from their memory, and adds them.
/// - "separate": cuBLASLt multiplies ("cuda_cublaslt_gemm"), then NCCL sums, in its own order and precision,
///   and where there is more to do, a kernel does it to the rounded sum.
///
/// They are tuned in a region of the caller's. Before that, the first one that is possible is used. All
/// configs of "overlapped" without SPLIT_K, and those of "split" with one split, give equal bits;
/// PeerWorkspaceOptions::equal_bits keeps to them. Buckets of m are as those of AllGatherGemm.
///
/// The objects of one workspace share its memory. Construction is not collective, but all ranks make the same
/// calls in the same order. One thread at a time uses the objects of a workspace.
class CONTEXTUAL_API GemmReduceScatter {
 public:
  /// Returns how large a workspace must be for this shape, in bytes.
  static std::size_t workspace_bytes(const GemmReduceScatterShape& shape, int ranks);

  /// Throws as AllGatherGemm does, and InvalidArgument for `all_rows` with too many rows for "split" where
  /// there is no NCCL.
  GemmReduceScatter(std::shared_ptr<PeerWorkspace> workspace, const GemmReduceScatterShape& shape);

  const GemmReduceScatterShape& shape() const noexcept { return shape_; }
  /// Returns the rows of C that this rank gets in a call with `m` rows, 0 for the shape's; may be empty.
  /// Throws InvalidArgument if it has more.
  Rows own_rows(int m = 0) const;

  /// Multiplies and sums, in the order of `stream`, without waiting on the host. All ranks must make the
  /// call. Works under stream capture, and throws, as AllGatherGemm's does. If the other ranks do not come
  /// within the workspace's budget, C is filled with NaN.
  void operator()(CUstream stream, const GemmReduceScatterCall& call);

 private:
  std::shared_ptr<PeerWorkspace> workspace_;
  GemmReduceScatterShape shape_;
};

}  // namespace contextual::kernels::cuda
