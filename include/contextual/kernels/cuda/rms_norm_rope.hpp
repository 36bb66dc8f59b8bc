#pragma once

/// \file
/// RMSNorm fused with rotary position embedding on a GPU, in bf16 or fp16.

#include <contextual/cuda.hpp>
#include <contextual/export.hpp>

namespace contextual::kernels::cuda {

struct RmsNormRopeConfig {
  int threads_per_row = 16;  ///< a power of two; above 32 a row's sum goes through shared memory
  int rows_per_block = 8;
  int vector = 8;  ///< elements of a load or store: 4 or 8
};

enum class NormType { bf16, fp16 };

/// For every row of `head_dim` elements, one per token and head, in float arithmetic, rounded once at the
/// end:
///
///     n[i] = x[i] / sqrt(mean over j of x[j]^2 + eps) * weight[i]
///     without positions  y[i] = n[i]
///     with positions     y[i]        = n[i] cos(a[i])        - n[i + half] sin(a[i])
///                        y[i + half] = n[i + half] cos(a[i]) + n[i] sin(a[i])
///                        half = head_dim / 2, i < half, a[i] = positions[token] * theta^(-i / half)
///
/// RMSNorm: B. Zhang and R. Sennrich, arXiv:1910.07467. Rotary embedding: J. Su et al., arXiv:2104.09864,
/// with the pairs (i, i + half) of LLaMA in Hugging Face's transformers (rotate_half and apply_rotary_pos_emb
/// of modeling_llama.py) instead of the paper's (2 i, 2 i + 1), and without the scaling of frequencies for
/// long contexts. There the normalised value is rounded before it is rotated, here it is not.
///
/// Pointers are device pointers. A token's heads follow each other without gaps. `y` may be `x` with the same
/// stride.
struct RmsNormRopeArgs {
  const void* x = nullptr;         ///< [tokens, heads, head_dim]
  const void* weight = nullptr;    ///< [head_dim], of the same type
  void* y = nullptr;               ///< [tokens, heads, head_dim]
  const int* positions = nullptr;  ///< [tokens]; null for no rotation
  int tokens = 0;
  int heads = 1;
  int head_dim = 0;              ///< even with positions
  long long x_token_stride = 0;  ///< elements from token to token; 0 for heads * head_dim
  long long y_token_stride = 0;
  float eps = 1e-5F;
  float theta = 500000.0F;  ///< LLaMA 3's
  NormType type = NormType::bf16;
};

/// 14 configs. Depending on the length of a row, those that do not suit it are left out.
CONTEXTUAL_API ConfigSpace<RmsNormRopeConfig> rms_norm_rope_space();

/// "cuda_rms_norm_rope", for compute capability 8.0 and newer. Key: tokens, heads, head_dim, type, whether it
/// rotates, and how many elements the pointers and strides allow to load at once: 8, 4 or 1. If that is less
/// than the config's `vector`, elements are loaded one by one. Throws InvalidArgument for an empty row, and
/// for an odd row with positions. A launch without tokens or heads is rejected as an empty grid.
using RmsNormRope = CudaKernel<RmsNormRopeConfig, RmsNormRopeArgs>;

/// Returns the kernel, which lives as long as the process. Thread-safe.
CONTEXTUAL_API RmsNormRope& rms_norm_rope();

}  // namespace contextual::kernels::cuda
