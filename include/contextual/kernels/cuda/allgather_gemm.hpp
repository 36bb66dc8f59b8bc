#pragma once

/// \file
/// AllGatherGemm: every rank multiplies the rows of all ranks, and begins before they have arrived.

#include <contextual/cuda.hpp>
#include <contextual/export.hpp>
#include <contextual/kernels/cuda/fp8_gemm.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace contextual::kernels::cuda {

/// The largest problem of an object. A of all ranks is m x k, and rank r holds the rows
/// `RowPartition(m, ranks).shard(r)` of it; B of this rank is n x k.
struct AllGatherGemmShape {
  int m = 0;                        ///< at most; a call may have fewer rows
  int n = 0;                        ///< a multiple of 8
  int k = 0;                        ///< a multiple of 8; of fp8, of 16
  GemmType type = GemmType::bf16;   ///< of C, and of A and B unless they are fp8
  std::optional<Fp8Scaling> fp8{};  ///< A and B are e4m3 with such scales, as Fp8GemmArgs has them
};

/// This rank's rows of A in one call, [own_rows(m), k]: in `input(m)`, or outside the workspace, then they
/// are copied there, as scales of rows always are.
struct GatheredRows {
  const void* a_rows = nullptr;
  int m = 0;      ///< rows of all ranks, equal on all of them; 0 for the shape's
  int pitch = 0;  ///< values from one row to the next, at least k; 0 for k
  /// Of fp8, on the device: of these rows, of blocks [ceil(k / 128), own_rows(m).count()], dense; or one of
  /// all of A, equal on all ranks.
  const float* scales = nullptr;
};

/// One product of the gathered rows, C[m, n] = activation(A[m, k] * B[n, k]^T + bias[n]), row major. Bias and
/// activation are applied in float. There is no alpha and no beta.
struct GatheredProduct {
  const void* b = nullptr;     ///< this rank's weights, [n, k], dense
  void* c = nullptr;           ///< [m, n], rows in the order of A
  int n = 0;                   ///< a multiple of 8; 0 for the shape's
  const void* bias = nullptr;  ///< of C's type; null for none
  Activation activation = Activation::none;
  int pitch = 0;  ///< values from one row of C to the next, at least n; 0 for n
  /// B is [2 n, k], the rows of a gate and then those of up: C = activation(A * gate^T) * (A * up^T), where
  /// the activation is to be given. It has no bias, and is the only product of its call.
  bool gated = false;
  /// Of fp8, on the device: n, or 1, or of blocks [ceil(n / 128), ceil(k / 128)].
  const float* b_scale = nullptr;
};

/// C[m, n] = A[m, k] * B[n, k]^T, where every rank has a part of A's rows and its own B. The product begins
/// with own rows, while the others come; tensor parallel layers with column-wise split weights need this.
///
/// There are three ways, between which "cuda_allgather_ways" chooses:
/// - "overlapped": one kernel ("cuda_allgather_gemm") multiplies, and fetches the others' rows meanwhile.
/// - "copied": the same kernel ("cuda_allgather_copied_gemm") waits for the others' rows, which copy engines
///   bring meanwhile, on a stream that the workspace owns: for ranks with a GPU each, at least 2 MiB of rows
///   a rank, and launches that do not block. With 2 ranks a call costs the host some 25 us more, a replay
///   nothing. One capture at a time may hold such calls.
/// - "separate": NCCL gathers the rows, then cuBLASLt multiplies ("cuda_cublaslt_gemm"), and a kernel
///   applies bias and activation, if any, to the rounded product. There is no handshake and no budget; a rank
///   that does not come is NCCL's affair.
///
/// For a gated product "cuda_allgather_gated_mlp_ways" chooses: "overlapped" is the kernel
/// "cuda_allgather_gated_mlp", "separate" is NCCL and then "cuda_gated_mlp". For fp8
/// "cuda_allgather_fp8_ways" does: "overlapped" is "cuda_allgather_fp8_gemm", with half the bytes and the
/// fast accumulation of "cuda_fp8_gemm", or, for scales of blocks, "cuda_allgather_fp8_gemm_blocks" with that
/// of "cuda_fp8_gemm_blocks"; "separate" is NCCL and then that one. There are no gated products of fp8.
///
/// They are tuned in a region of the caller's. Before that, "overlapped" is used where it is possible. All
/// configs of "overlapped" and "copied" give equal bits; PeerWorkspaceOptions::equal_bits keeps to them.
///
/// What is tuned with one m is used for all m of a bucket: 1, 2, 4, ..., 512, 1024, 1536, ..., each for what
/// is above the one before it. In "separate" cuBLASLt's algorithm, and the config of
/// "cuda_gated_mlp", "cuda_fp8_gemm" and "cuda_fp8_gemm_blocks", is that of the exact m: with an m that was
/// not tuned, it is the first one.
///
/// The objects of one workspace share its memory. Construction is not collective, but all ranks make the same
/// calls in the same order. One thread at a time uses the objects of a workspace.
class CONTEXTUAL_API AllGatherGemm {
 public:
  /// Returns how large a workspace must be for this shape, in bytes.
  static std::size_t workspace_bytes(const AllGatherGemmShape& shape);

  /// Throws InvalidArgument if the workspace is too small, if its ranks can use neither each other's memory
  /// nor NCCL, if n or k is no multiple of 8, k of fp8 none of 16, or if m, n or k is below 1; and CudaError.
  /// Waits for the device, to load cuBLASLt's code unless it is for fp8, and compiles the kernel behind it.
  AllGatherGemm(std::shared_ptr<PeerWorkspace> workspace, const AllGatherGemmShape& shape);

  const AllGatherGemmShape& shape() const noexcept { return shape_; }

  /// Returns the rows of A that this rank has in a call with `m` rows, 0 for the shape's; may be empty.
  /// Throws InvalidArgument if m is negative or more than the shape's.
  Rows own_rows(int m = 0) const;
  /// Returns where these rows lie in the gathered matrix, dense. Throws as `own_rows`. Whoever writes them
  /// there spares the copy. They may be written when the previous call on the workspace has ended in stream
  /// order; after a failure, write them again after `rearm`.
  void* input(int m = 0) const;

  /// Returns the gathered matrix, [m, k], dense. Its rows are valid in stream order from the end of a call
  /// until the next call on the workspace begins, or until own rows are written; not if a call has failed.
  const void* gathered() const noexcept;

  /// Gathers and multiplies, in the order of `stream`, without waiting on the host. All ranks must make the
  /// call. Works under stream capture; what runs for the first time, a config or an m of cuBLASLt's, loads
  /// its code, so call with this m before the capture.
  ///
  /// Throws InvalidArgument if m is too large, for a gated product of fp8, with a bias or beside another one,
  /// for scales that are null where there are some, for other pointers that are not multiples of 16 bytes or
  /// in the workspace, but for own rows in `input(m)`, and for pitches that are no multiples of 8, of A in
  /// fp8 of 16, or too small; DeviceError if an earlier call on the workspace has failed, and CudaError. If
  /// the other ranks do not come within the workspace's budget, C is filled with NaN.
  void operator()(CUstream stream, const GatheredRows& rows, const GatheredProduct& product);
  /// The same for 1 to 4 products of one gather, for example of q, k and v.
  void operator()(CUstream stream, const GatheredRows& rows, std::span<const GatheredProduct> products);

 private:
  std::shared_ptr<PeerWorkspace> workspace_;
  AllGatherGemmShape shape_;
};

}  // namespace contextual::kernels::cuda
