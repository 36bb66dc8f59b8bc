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
};

/// How products are added up. The tensor cores' own sums have fewer bits than a float.
enum class Fp8Accumulation {
  fast,      ///< over all of k in the tensor cores
  promoted,  ///< over 128 of k in the tensor cores, then in float
};

/// C[m, n] = activation(A[m, k] * B[n, k]^T * a_scale * b_scale + bias[n]), all row major, on the current
/// device; what is multiplied is e4m3, and scales are those of PyTorch's _scaled_mm: value = e4m3 * scale.
///
/// m, n and k are at least 1, n is a multiple of 8 and k of 16, the pitch of A of 16 and that of C of 8;
/// pointers but those of scales are multiples of 16 bytes. Otherwise a launch throws InvalidArgument.
struct Fp8GemmArgs {
  const void* a;
  const void* b;
  void* c;
  int m, n, k;
  const float* a_scale;  ///< on the device: 1, or m
  const float* b_scale;  ///< on the device: 1, or n
  Fp8Scaling scaling = Fp8Scaling::tensor;
  GemmType type = GemmType::bf16;  ///< of C
  const void* bias = nullptr;      ///< of C's type; null for none
  Activation activation = Activation::none;
  int a_pitch = 0;  ///< values from one row of A to the next, at least k; 0 for k
  int c_pitch = 0;  ///< of C, at least n; 0 for n
};

/// "cuda_fp8_gemm", or "cuda_fp8_gemm_promoted". The config is that of "cuda_gemm", with stages of 128 of k.
/// Key: m, n, k, C's type, scaling. Configs whose tiles would be mostly outside of C are left out.
using Fp8Gemm = CudaKernel<GemmConfig, Fp8GemmArgs>;

/// Returns the kernel, which lives as long as the process. Thread-safe.
CONTEXTUAL_API Fp8Gemm& fp8_gemm(Fp8Accumulation accumulation = Fp8Accumulation::fast);
/// Promoted sums need twice the registers, so tiles are smaller.
CONTEXTUAL_API ConfigSpace<GemmConfig> fp8_gemm_space(Fp8Accumulation accumulation = Fp8Accumulation::fast,
                                                      const std::vector<int>& num_sms = {0, 116, 108});

}  // namespace contextual::kernels::cuda
