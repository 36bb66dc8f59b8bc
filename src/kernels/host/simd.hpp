#pragma once

/// \file
/// The inner loops, one instance for each Isa. Call an instance only if `supported_isas()` lists its Isa.

#include <contextual/kernels/host/isa.hpp>

namespace contextual::kernels::simd {

/// C[MR, NR] = (add ? C : 0) + A B over `k` steps, in registers. `a` is packed as k columns of MR values, `b`
/// as k rows of NR values. The rows of `c` are `ldc` apart, and all MR x NR values are written. NR is a
/// multiple of 16.
template <Isa I, int MR, int NR>
void gemm_micro(long k, const float* a, const float* b, float* c, long ldc, bool add);

/// Returns the sum of squares of `count` values, computed in U independent vector sums.
template <Isa I, int U>
float sum_of_squares(const float* x, long count);

/// out[i] = x[i] * scale * weight[i]; `out` may be `x`.
template <Isa I>
void scale_by_weight(const float* x, const float* weight, float scale, float* out, long count);

/// out[i] = silu(gate[i]) * up[i], with a polynomial for exp. The relative error of the result is below 1e-6
/// for gates above -87; below that, silu is 0 to within 1e-35. `out` may be `gate` or `up`.
template <Isa I>
void gated_silu(const float* gate, const float* up, float* out, long count);

/// Returns a pointer to the instance for `isa`, which `pick` returns when called with the Isa as template
/// argument.
template <typename Pick>
auto for_isa(Isa isa, Pick pick) {
#if defined(CONTEXTUAL_KERNELS_X86)
  switch (isa) {
    case Isa::avx512:
      return pick.template operator()<Isa::avx512>();
    case Isa::avx2:
      return pick.template operator()<Isa::avx2>();
    case Isa::baseline:
      break;
  }
#endif
  (void)isa;
  return pick.template operator()<Isa::baseline>();
}

}  // namespace contextual::kernels::simd
