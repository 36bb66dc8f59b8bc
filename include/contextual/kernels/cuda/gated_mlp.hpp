#pragma once

/// \file
/// The first half of a gated MLP on a Hopper GPU, in bf16 or fp16: SwiGLU with silu, GEGLU with gelu.

#include <contextual/alternatives.hpp>
#include <contextual/cuda.hpp>
#include <contextual/export.hpp>
#include <contextual/kernels/cuda/gemm.hpp>

#include <vector>

namespace contextual::kernels::cuda {

/// C[m, n] = activation(A[m, k] * gate[n, k]^T) * (A[m, k] * up[n, k]^T); all row major, on the current
/// device. n is the layer's intermediate size.
///
/// Sizes, pitches and pointers, also that of the scratch, are as in GemmArgs; otherwise a launch throws
/// InvalidArgument.
struct GatedMlpArgs {
  const void* a;
  const void* weights;  ///< [2 n, k], dense: the rows of the gate, then those of up
  void* c;
  int m, n, k;
  GemmType type = GemmType::bf16;
  Activation activation = Activation::silu;
  int a_pitch = 0;  ///< values from one row of A to the next, at least k; 0 for k
  int c_pitch = 0;  ///< of C, at least n; 0 for n
  /// Scratch for [m, 2 n] values, which `gated_mlp_implementations` needs for products of their own; null to
  /// do without them.
  void* products = nullptr;
};

/// "cuda_gated_mlp": both products in one kernel, which applies the gate to the sums in float and rounds
/// once. The config is that of "cuda_gemm"; block_n counts the rows of weights, half of them of either
/// product, so a tile has half as many columns of C. Key: m, n, k, type. Configs whose tiles would be mostly
/// outside of C are left out.
using GatedMlp = CudaKernel<GemmConfig, GatedMlpArgs>;

/// Returns the kernel, which lives as long as the process. Thread-safe.
CONTEXTUAL_API GatedMlp& gated_mlp();
CONTEXTUAL_API ConfigSpace<GemmConfig> gated_mlp_space(const std::vector<int>& num_sms = {0, 116, 108});

/// "cuda_gated_mlp_implementations". The alternatives are "fused", which launches `gated_mlp()`; with scratch
/// for products also "one_product", one product of all weights by `cublaslt_gemm()` and a kernel that applies
/// the gate, and "two_products", a product each. A way loads its code when it runs for the first time, so
/// call once before a capture. Their products are rounded before the gate is applied. Key: m, n, k, type,
/// pitches, and whether there is scratch. Throws as `gated_mlp` and `cublaslt_gemm` do.
using GatedMlpImplementations = Alternatives<void(CUstream, GatedMlpArgs)>;

/// Returns the choice, which lives as long as the process. Thread-safe.
CONTEXTUAL_API GatedMlpImplementations& gated_mlp_implementations();

/// Launches what is chosen on `stream`.
CONTEXTUAL_API void gated_mlp_implementations(CUstream stream, const GatedMlpArgs& args);

}  // namespace contextual::kernels::cuda
