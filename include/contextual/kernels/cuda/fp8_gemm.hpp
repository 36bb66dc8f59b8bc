#pragma once

/// \file
/// C = A * B^T of 8-bit floating-point values on a Hopper GPU: a tunable kernel.

#include <contextual/cuda.hpp>
#include <contextual/export.hpp>
#include <contextual/kernels/cuda/gemm.hpp>

#include <vector>

namespace contextual::kernels::cuda {

/// What a scale belongs to.
enum class Fp8Scaling {
  tensor,  ///< one of A and one of B
  row,     ///< one of each row of A and one of each row of B, which is a column of C
  block,   ///< of A one of 1 x 128 values, of B one of 128 x 128; blocks begin at multiples of 128
};

/// How products are added up. The tensor cores' own sums have fewer bits than a float.
enum class Fp8Accumulation {
  fast,      ///< over all of k in the tensor cores
  promoted,  ///< over 128 of k in the tensor cores, then in float
  blocks,    ///< promoted, each sum over 128 of k times its scales: for Fp8Scaling::block, and only for it
};

/// C[m, n] = activation(A[m, k] * B[n, k]^T * a_scale * b_scale + bias[n]), all row major, on the current
/// device; what is multiplied is e4m3, and scales are those of PyTorch's _scaled_mm: value = e4m3 * scale.
///
/// Scales of blocks are in the order of _scaled_mm and cuBLASLt (VEC128_32F, BLK128x128_32F), where rows of
/// those of B must be padded to multiples of 4; here they are dense.
///
/// m, n and k are at least 1, n is a multiple of 8 and k of 16, the pitch of A of 16 and that of C of 8;
/// pointers but those of scales are multiples of 16 bytes. Otherwise a launch throws InvalidArgument, as for
/// scales of blocks without their accumulation.
struct Fp8GemmArgs {
  const void* a;
  const void* b;
  void* c;
  int m, n, k;
  const float* a_scale;  ///< on the device: 1, or m, or of blocks [ceil(k / 128), m], a row after the other
  const float* b_scale;  ///< on the device: 1, or n, or of blocks [ceil(n / 128), ceil(k / 128)]
  Fp8Scaling scaling = Fp8Scaling::tensor;
  GemmType type = GemmType::bf16;  ///< of C
  const void* bias = nullptr;      ///< of C's type; null for none
  Activation activation = Activation::none;
  int a_pitch = 0;  ///< values from one row of A to the next, at least k; 0 for k
  int c_pitch = 0;  ///< of C, at least n; 0 for n
};

/// "cuda_fp8_gemm", "cuda_fp8_gemm_promoted" or "cuda_fp8_gemm_blocks". The config is that of "cuda_gemm",
/// with stages of 128 of k. Key: m, n, k, C's type, scaling. Configs whose tiles would be mostly outside of C
/// are left out.
using Fp8Gemm = CudaKernel<GemmConfig, Fp8GemmArgs>;

/// Returns the kernel, which lives as long as the process. Thread-safe.
CONTEXTUAL_API Fp8Gemm& fp8_gemm(Fp8Accumulation accumulation = Fp8Accumulation::fast);
/// Promoted sums need more registers, so tiles are smaller; those of 128 rows may also have 64 or 112
/// columns, for products of few tiles.
CONTEXTUAL_API ConfigSpace<GemmConfig> fp8_gemm_space(Fp8Accumulation accumulation = Fp8Accumulation::fast,
                                                      const std::vector<int>& num_sms = {0, 116, 108});

}  // namespace contextual::kernels::cuda
