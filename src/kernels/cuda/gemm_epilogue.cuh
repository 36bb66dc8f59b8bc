#pragma once

/// What becomes of sums: bias and activation in float, then 16 bits. Compiled by NVRTC.

#include "kernels/cuda/gemm_epilogue.hpp"

namespace {

using contextual::kernels::cuda::Activation;
using contextual::kernels::cuda::GemmEpilogue;

/// Two values rounded to 16 bits, `low` in the lower half.
template <bool fp16>
__device__ __forceinline__ unsigned pack(float low, float high) {
  unsigned packed;
  if constexpr (fp16) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  }
  return packed;
}

/// The two values of `pack`.
template <bool fp16>
__device__ __forceinline__ float2 unpack(unsigned packed) {
  if constexpr (fp16) {
    float2 values;
    asm("{ .reg .b16 low, high;\n"
        "mov.b32 {low, high}, %2;\n"
        "cvt.f32.f16 %0, low;\n"
        "cvt.f32.f16 %1, high; }"
        : "=f"(values.x), "=f"(values.y)
        : "r"(packed));
    return values;
  } else {
    return {__uint_as_float(packed << 16), __uint_as_float(packed & 0xFFFF0000U)};
  }
}

/// From the value `first` on. NaN stays NaN. If `gelu` is false, the activation is not gelu, whose code is long.
template <int count, bool gelu = true>
__device__ __forceinline__ void activate(Activation activation, float* x, int first = 0) {
  if (activation == Activation::relu) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (i >= first) {
        x[i] = x[i] < 0 ? 0 : x[i];
      }
    }
  } else if (gelu && activation == Activation::gelu) {
    constexpr float root_of_half = 0.70710678F;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (i >= first) {
        x[i] = 0.5F * x[i] * (1 + erff(root_of_half * x[i]));
      }
    }
  } else if (activation == Activation::silu) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (i >= first) {
        x[i] = __fdividef(x[i], 1 + __expf(-x[i]));
      }
    }
  }
}

constexpr int width = 8;  // of a vector

template <bool fp16>
__device__ __forceinline__ void add_vector(const uint4& packed, float* sums) {
  const unsigned pairs[] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
  for (int i = 0; i < width / 2; ++i) {
    const float2 values = unpack<fp16>(pairs[i]);
    sums[2 * i] += values.x;
    sums[2 * i + 1] += values.y;
  }
}

/// Finishes a vector of sums, which is one of its row of C and of the whole residual.
template <bool fp16>
__device__ __forceinline__ void finish_vector(float* sums, const GemmEpilogue& epilogue, long long of_row,
                                              const void* residual, long long of_residual) {
  if (epilogue.bias != nullptr) {
    add_vector<fp16>(static_cast<const uint4*>(epilogue.bias)[of_row], sums);
  }
  activate<width>(epilogue.activation, sums);
  if (residual != nullptr) {
    add_vector<fp16>(static_cast<const uint4*>(residual)[of_residual], sums);
  }
}

template <bool fp16>
__device__ __forceinline__ uint4 pack_vector(const float* x) {
  return {pack<fp16>(x[0], x[1]), pack<fp16>(x[2], x[3]), pack<fp16>(x[4], x[5]), pack<fp16>(x[6], x[7])};
}

}  // namespace
