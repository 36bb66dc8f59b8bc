#pragma once

/// \file
/// The code of simd.hpp, included by simd_baseline.cpp, simd_avx2.cpp and simd_avx512.cpp only.
///
/// These files have compiler flags of their own. They use nothing from the standard library, because an
/// inline function of it, emitted here with AVX-512, could replace the one that the rest of the program
/// calls.

#include "kernels/host/simd.hpp"

namespace contextual::kernels::simd {

template <Isa I>
struct Vector;
template <>
struct Vector<Isa::baseline> {
  static constexpr int width = 4;
  using Float = float __attribute__((vector_size(16)));
  using Int = int __attribute__((vector_size(16)));
};
template <>
struct Vector<Isa::avx2> {
  static constexpr int width = 8;
  using Float = float __attribute__((vector_size(32)));
  using Int = int __attribute__((vector_size(32)));
};
template <>
struct Vector<Isa::avx512> {
  static constexpr int width = 16;
  using Float = float __attribute__((vector_size(64)));
  using Int = int __attribute__((vector_size(64)));
};

/// A vector at an unaligned address. It is a struct, because clang ignores the attributes of a type that a
/// template names by an alias, and would then use instructions that need an aligned address.
template <Isa I>
struct __attribute__((packed, may_alias)) Unaligned {
  typename Vector<I>::Float value;
};

template <Isa I>
inline typename Vector<I>::Float load(const float* from) {
  return reinterpret_cast<const Unaligned<I>*>(from)->value;
}

template <Isa I>
inline void store(float* to, const typename Vector<I>::Float& value) {
  reinterpret_cast<Unaligned<I>*>(to)->value = value;
}

template <Isa I, int MR, int NR>
void gemm_micro(long k, const float* a, const float* b, float* c, long ldc, bool add) {
  using V = Vector<I>;
  constexpr int columns = NR / V::width;
  typename V::Float sum[MR][columns] = {};
  for (long p = 0; p < k; ++p, a += MR, b += NR) {
    typename V::Float row[columns];
#pragma GCC unroll 16
    for (int j = 0; j < columns; ++j) {
      row[j] = load<I>(b + j * V::width);
    }
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 16
      for (int j = 0; j < columns; ++j) {
        sum[i][j] += a[i] * row[j];
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < columns; ++j) {
      float* const to = c + i * ldc + j * V::width;
      store<I>(to, add ? load<I>(to) + sum[i][j] : sum[i][j]);
    }
  }
}

template <Isa I, int U>
float sum_of_squares(const float* x, long count) {
  using V = Vector<I>;
  typename V::Float sums[U] = {};
  long i = 0;
  for (; i + U * V::width <= count; i += U * V::width) {
#pragma GCC unroll 8
    for (int u = 0; u < U; ++u) {
      const typename V::Float v = load<I>(x + i + u * V::width);
      sums[u] += v * v;
    }
  }
  float total = 0;
  for (; i < count; ++i) {
    total += x[i] * x[i];
  }
  for (int u = 0; u < U; ++u) {
    for (int lane = 0; lane < V::width; ++lane) {
      total += sums[u][lane];
    }
  }
  return total;
}

template <Isa I>
void scale_by_weight(const float* x, const float* weight, float scale, float* out, long count) {
  using V = Vector<I>;
  long i = 0;
  for (; i + V::width <= count; i += V::width) {
    store<I>(out + i, load<I>(x + i) * scale * load<I>(weight + i));
  }
  for (; i < count; ++i) {
    out[i] = x[i] * scale * weight[i];
  }
}

/// One vector of gated_silu. exp(t) = 2^n exp(r) with n = round(t / ln 2): r in [-0.35, 0.35], Taylor terms
/// to r^7 (truncation below 1e-8), ln 2 in two parts so that r is exact enough for |n| up to 127 (Cody and
/// Waite).
template <Isa I>
void gated_silu_vector(const float* gate, const float* up, float* out) {
  using V = Vector<I>;
  using Float = typename V::Float;
  const Float g = load<I>(gate);
  const Float lowest = Float{} - 87.0F;
  const Float highest = Float{} + 87.0F;
  Float t = -g;
  t = t < lowest ? lowest : t;  // comparisons with NaN are false: NaN passes both
  t = t > highest ? highest : t;
  const Float magic = Float{} + 12582912.0F;  // 1.5 * 2^23: adding and subtracting it rounds to an integer
  const Float shifted = t * 1.44269504F + magic;
  const Float n = shifted - magic;
  Float r = t - n * 0.693359375F;  // upper bits of ln 2: the product is exact
  r = r + n * 2.12194440e-4F;      // minus the rest of ln 2, which is negative
  Float p = Float{} + 1.0F / 5040.0F;
  p = p * r + 1.0F / 720.0F;
  p = p * r + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  // The low bits of `shifted` hold n as an integer: move it into the exponent of 1.0.
  union Bits {
    Float as_float;
    typename V::Int as_int;
  } power;
  power.as_float = shifted;
  power.as_int = (power.as_int << 23) + 0x3f800000;
  const Float silu = g / (1.0F + p * power.as_float);
  store<I>(out, silu * load<I>(up));
}

template <Isa I>
void gated_silu(const float* gate, const float* up, float* out, long count) {
  constexpr int width = Vector<I>::width;
  long i = 0;
  for (; i + width <= count; i += width) {
    gated_silu_vector<I>(gate + i, up + i, out + i);
  }
  if (i == count) {
    return;
  }
  float tail[3][width] = {};
  for (long j = i; j < count; ++j) {
    tail[0][j - i] = gate[j];
    tail[1][j - i] = up[j];
  }
  gated_silu_vector<I>(tail[0], tail[1], tail[2]);
  for (long j = i; j < count; ++j) {
    out[j] = tail[2][j - i];
  }
}

}  // namespace contextual::kernels::simd

// The instances that config spaces can ask for; gemm.hpp and rms_norm.hpp list the same values.
#define CONTEXTUAL_KERNELS_MICRO(isa, mr)                                                      \
  template void gemm_micro<isa, mr, 16>(long, const float*, const float*, float*, long, bool); \
  template void gemm_micro<isa, mr, 32>(long, const float*, const float*, float*, long, bool);

#define CONTEXTUAL_KERNELS_INSTANTIATE(isa)                                            \
  namespace contextual::kernels::simd {                                                \
  CONTEXTUAL_KERNELS_MICRO(isa, 4)                                                     \
  CONTEXTUAL_KERNELS_MICRO(isa, 6)                                                     \
  CONTEXTUAL_KERNELS_MICRO(isa, 8)                                                     \
  CONTEXTUAL_KERNELS_MICRO(isa, 12)                                                    \
  template float sum_of_squares<isa, 1>(const float*, long);                           \
  template float sum_of_squares<isa, 2>(const float*, long);                           \
  template float sum_of_squares<isa, 4>(const float*, long);                           \
  template float sum_of_squares<isa, 8>(const float*, long);                           \
  template void scale_by_weight<isa>(const float*, const float*, float, float*, long); \
  template void gated_silu<isa>(const float*, const float*, float*, long);             \
  }
