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

/// A of this rank, m x k, and B of this rank, n x k, where k is this rank's part of the inner dimension.
struct GemmReduceScatterShape {
  int m = 0;
  int n = 0;  ///< a multiple of 8
  int k = 0;  ///< a multiple of 8
  GemmType type = GemmType::bf16;
  bool all_rows = false;  ///< every rank gets all rows of the sum: an all-reduce
};

/// C[own rows, n] = sum over the ranks of A[own rows, k] * B[n, k]^T, where rank r owns the rows
/// `RowPartition(m, ranks).shard(r)`; tensor parallel layers with row-wise split weights need this.
///
/// Each rank's part is rounded to the type. The parts are added in float in the order of the ranks, and the
/// sum is rounded.
///
/// There are three ways, among which "cuda_reduce_scatter_ways" chooses; with `all_rows` there are the last
/// two, and "cuda_all_reduce_ways" chooses:
/// - "overlapped": one kernel ("cuda_gemm_reduce_scatter") multiplies, stores each tile at the rank that owns
///   it, and adds the others' parts to own tiles.
/// - "split", for few rows: one kernel ("cuda_gemm_split_reduce_scatter") multiplies the rows of all ranks at
/// the same
///   time, so that B comes from memory once, and splits k into 1 to 8 where there are fewer tiles than
///   multiprocessors; then it adds all parts. Each split is a part of its own, so the bits depend on their
///   number. Splits times rows (m rounded up to a multiple of the ranks, or m times the ranks with
///   `all_rows`) are at most 1024; with more rows "split" is no candidate.
/// - "separate": cuBLASLt multiplies ("cuda_cublaslt_gemm"), then NCCL sums, in its own order and precision.
///
/// They are tuned in a region of the caller's. Before that, the first one that is possible is used. All
/// configs of "overlapped", and those of "split" with one split, give equal bits;
/// PeerWorkspaceOptions::equal_bits keeps to them.
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
  Rows own_rows() const noexcept { return rows_; }  ///< of C, that this rank gets; may be empty

  /// Multiplies and sums, in the order of `stream`, without waiting on the host. `a` is [m, k], `b` is [n,
  /// k], both of this rank, and `c_rows` is [own_rows, n]; all dense, and multiples of 16 bytes. Works under
  /// stream capture. All ranks must make the call.
  ///
  /// Throws InvalidArgument for other pointers, DeviceError if an earlier call on the workspace has failed,
  /// and CudaError. If the other ranks do not come within the workspace's budget, C is filled with NaN.
  void operator()(CUstream stream, const void* a, const void* b, void* c_rows);

 private:
  std::shared_ptr<PeerWorkspace> workspace_;
  GemmReduceScatterShape shape_;
  Rows rows_;
};

}  // namespace contextual::kernels::cuda
