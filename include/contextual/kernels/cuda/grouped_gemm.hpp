#pragma once

/// \file
/// The products of a mixture of experts on a Hopper GPU, in bf16 or fp16: each expert multiplies the rows
/// that choose it, and the results are summed for each row.

#include <contextual/cuda.hpp>
#include <contextual/export.hpp>
#include <contextual/kernels/cuda/expert_routing.hpp>
#include <contextual/kernels/cuda/gemm.hpp>

namespace contextual::kernels::cuda {

/// C[position, n] = activation(A[row of A, k] * weights[expert of the position, n, k]^T), for the positions
/// of an ExpertRouting; all row major and dense, on the current device. Sums are float.
///
/// Sizes and pointers are as in GemmArgs; otherwise a launch throws InvalidArgument. What lies behind the
/// last position in C is not written.
struct GroupedGemmArgs {
  const ExpertRouting* routing;
  const void* a;
  const void* weights;  ///< [experts, n, k]; of a gated product [experts, 2 n, k], gate and then up
  void* c;              ///< [rows * top_k, n]
  int n, k;
  GemmType type = GemmType::bf16;
  /// A is [rows * top_k, k] and its row is the position; otherwise A is [rows, k], and each position takes
  /// the row that it comes from.
  bool a_by_position = false;
  Activation activation = Activation::none;
};

/// The config is that of "cuda_gemm"; tiles begin with the first row of each expert. Key: bucket of the rows,
/// top_k, experts, n, k, type, and whether A is by position. The key does not say how rows are spread over
/// the experts: tune with a routing that is typical. Configs whose tiles would be mostly empty with an even
/// one are left out.
using GroupedGemm = CudaKernel<GemmConfig, GroupedGemmArgs>;

/// Returns "cuda_grouped_gemm", which lives as long as the process. Thread-safe.
CONTEXTUAL_API GroupedGemm& grouped_gemm();
/// Returns "cuda_grouped_gated_mlp": C = activation(A * gate^T) * (A * up^T), as "cuda_gated_mlp" does.
CONTEXTUAL_API GroupedGemm& grouped_gated_mlp();

/// out[row, n] = sum over the places in top_k, ascending, of topk_weights[row, place] * y[position of (row,
/// place), n], in float, rounded once; a row that chooses no expert is zero. All dense, on the current
/// device.
struct ExpertSumArgs {
  const ExpertRouting* routing;
  const float* topk_weights;  ///< [rows, top_k]
  const void* y;              ///< [rows * top_k, n]
  void* out;                  ///< [rows, n]
  int n;                      ///< a multiple of 8
  GemmType type = GemmType::bf16;
};

struct ExpertSumConfig {
  int threads = 256;  ///< of a block
  int vectors = 1;    ///< pieces of 16 bytes of a row that a thread sums at a time
};

/// Key: bucket of the rows, top_k, n, type. Pointers are multiples of 16 bytes; otherwise a launch throws
/// InvalidArgument.
using ExpertSum = CudaKernel<ExpertSumConfig, ExpertSumArgs>;

/// Returns "cuda_expert_sum", which lives as long as the process. Thread-safe.
CONTEXTUAL_API ExpertSum& expert_sum();

}  // namespace contextual::kernels::cuda
