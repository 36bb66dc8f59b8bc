#pragma once

/// \file
/// AllGatherGemm: every rank multiplies the rows of all ranks, and begins before they have arrived.

#include <contextual/cuda.hpp>
#include <contextual/export.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace contextual::kernels::cuda {

/// A of all ranks, m x k, of which rank r holds the rows `RowPartition(m, ranks).shard(r)`; and B of this
/// rank, n x k.
struct AllGatherGemmShape {
  int m = 0;
  int n = 0;  ///< a multiple of 8; of the first product, if there are several
  int k = 0;  ///< a multiple of 8
  GemmType type = GemmType::bf16;
};

/// One product of the gathered rows: C[m, n] = A[m, k] * B[n, k]^T, row major and dense.
struct GatheredProduct {
  const void* b = nullptr;  ///< this rank's weights, [n, k]
  void* c = nullptr;        ///< [m, n], rows in the order of A
  int n = 0;                ///< a multiple of 8
};

/// C[m, n] = A[m, k] * B[n, k]^T, where every rank has a part of A's rows and its own B. The product begins
/// with own rows, while the others come; tensor parallel layers with column-wise split weights need this.
///
/// There are two ways, between which "cuda_allgather_ways" chooses:
/// - "overlapped": one kernel ("cuda_allgather_gemm") multiplies, and writes own rows into the other ranks'
///   memory meanwhile.
/// - "separate": NCCL gathers the rows, then cuBLASLt multiplies ("cuda_cublaslt_gemm"). There is
///   no handshake and no budget; a rank that does not come is NCCL's affair.
///
/// They are tuned in a region of the caller's. Before that, "overlapped" is used where it is possible. All
/// configs of "overlapped" give equal bits; PeerWorkspaceOptions::equal_bits keeps to it.
///
/// The objects of one workspace share its memory. Construction is not collective, but all ranks make the same
/// calls in the same order. One thread at a time uses the objects of a workspace.
class CONTEXTUAL_API AllGatherGemm {
 public:
  /// Returns how large a workspace must be for this shape, in bytes.
  static std::size_t workspace_bytes(const AllGatherGemmShape& shape);

  /// Throws InvalidArgument if the workspace is too small, if its ranks can use neither each other's memory
  /// nor NCCL, if n or k is no multiple of 8, or if m, n or k is below 1; and CudaError. Waits for the
  /// device, to load cuBLASLt's code.
  AllGatherGemm(std::shared_ptr<PeerWorkspace> workspace, const AllGatherGemmShape& shape);

  const AllGatherGemmShape& shape() const noexcept { return shape_; }
  Rows own_rows() const noexcept { return rows_; }  ///< of A, on this rank; may be empty

  /// Returns where this rank's rows lie in the gathered matrix, dense. Whoever writes them there spares the
  /// copy. They may be written when the previous call on the workspace has ended in stream order.
  void* input() const noexcept;
  /// Returns the gathered matrix, [m, k], dense. Its rows are valid in stream order from the end of a call
  /// until the next call on the workspace begins, or until own rows are written.
  const void* gathered() const noexcept;

  /// Gathers and multiplies, in the order of `stream`, without waiting on the host. `a_rows` are own rows,
  /// [own_rows, k], dense; unless they are `input()`, they are copied there. `b` is [n, k], `c` is [m, n].
  /// Works under stream capture. All ranks must make the call.
  ///
  /// Throws InvalidArgument for pointers that are not multiples of 16 bytes, DeviceError if an earlier call
  /// on the workspace has failed, and CudaError. If the other ranks do not come within the workspace's
  /// budget, C is filled with NaN.
  void operator()(CUstream stream, const void* a_rows, const void* b, void* c);
  /// The same for 1 to 4 products of one gather, for example of gate and up projections.
  void operator()(CUstream stream, const void* a_rows, std::span<const GatheredProduct> products);

 private:
  std::shared_ptr<PeerWorkspace> workspace_;
  AllGatherGemmShape shape_;
  Rows rows_;
};

}  // namespace contextual::kernels::cuda
