#pragma once

/// \file
/// The all-gather GEMM in one kernel: every block fetches the others' rows while it multiplies own ones.

#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/cuda.hpp>
#include <contextual/kernels/cuda/allgather_gemm.hpp>

#include <cstddef>
#include <span>

namespace contextual::kernels::cuda {

/// Returns how many 16-bit values a row of A takes.
constexpr int words_of_row(const AllGatherGemmShape& shape) {
  return shape.fp8 ? shape.k / 2 : shape.k;
}
/// Returns how many scales of a row of A come with it.
constexpr int scales_of_row(const AllGatherGemmShape& shape) {
  constexpr int block = 128;
  return shape.fp8 == Fp8Scaling::row     ? 1
         : shape.fp8 == Fp8Scaling::block ? (shape.k + block - 1) / block
                                          : 0;
}
/// Returns where the scales of all ranks' rows lie behind the gathered matrix, in bytes from its begin: by
/// shard, then by block of k.
constexpr std::size_t scales_offset(const AllGatherGemmShape& shape) {
  constexpr std::size_t alignment = 256;
  const std::size_t matrix = static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.k);
  return (matrix + alignment - 1) / alignment * alignment;
}

/// One call of an object. Own rows are where they belong in the gathered matrix. The shape's m is the call's.
struct GemmGatherArgs {
  PeerWorkspace::Parts* workspace = nullptr;
  std::span<const GatheredProduct> products;
  AllGatherGemmShape shape;
  const float* a_scale = nullptr;  ///< of fp8: that of A, or those of own rows
  int k_parts = 0;                 ///< in which copies bring the rows; 0 if the kernel fetches them

  int columns() const noexcept;  ///< of all products
  bool gated() const noexcept { return products.front().gated; }
  bool scales_rows() const noexcept { return scales_of_row(shape) > 0; }
  /// Returns the scales that a rank has of the rows of a source.
  float* scales_of(int rank, int source) const noexcept;
  /// From those of one block of k to those of the next.
  int scales_pitch() const noexcept;
};

/// "cuda_allgather_gemm", "cuda_allgather_fp8_gemm", for scales of blocks "cuda_allgather_fp8_gemm_blocks",
/// or "cuda_allgather_gated_mlp" for a gated product. Key: bucket of m, n of all products, k, type, ranks,
/// and of fp8 the scaling. A launch is a call on the workspace, from its begin to its end: it advances the
/// epoch.
using GemmGather = CudaKernel<GemmConfig, GemmGatherArgs>;
GemmGather& gemm_gather();
/// "cuda_allgather_copied_gemm": the same where copies bring the rows, each followed by one of a flag.
GemmGather& copied_gather();
GemmGather& fp8_gather();
GemmGather& fp8_blocks_gather();
GemmGather& gated_gather();
ConfigSpace<GemmConfig> gemm_gather_space();
ConfigSpace<GemmConfig> gated_gather_space();
/// Those of "cuda_fp8_gemm_blocks" that have both store buffers, through which rows come, and fit.
ConfigSpace<GemmConfig> fp8_blocks_gather_space();

}  // namespace contextual::kernels::cuda
