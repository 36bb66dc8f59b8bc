#pragma once

/// \file
/// The gated activation of a transformer's feed-forward layer on the CPU: out = silu(gate) * up.
/// It contains no tuning policy; kernels.hpp makes it a tunable kernel.

#include <contextual/export.hpp>
#include <contextual/kernels/host/isa.hpp>

namespace contextual::kernels {

struct GatedActivationConfig {
  int block = 4096;       ///< elements that a thread takes at a time
  bool fast_exp = false;  ///< a polynomial on vectors instead of std::exp
  int threads = 1;

  bool operator==(const GatedActivationConfig&) const = default;
};

/// out[i, j] = silu(gate[i, j]) * up[i, j] with silu(x) = x / (1 + exp(-x)). Matrices are row-major, with
/// leading dimensions in elements. `out` may be `gate` or `up`, if their leading dimensions are equal.
/// Elements of a row beyond `cols` are never touched.
struct GatedActivationArgs {
  const float* gate = nullptr;
  const float* up = nullptr;
  float* out = nullptr;
  long rows = 0;
  long cols = 0;
  long ldgate = 0;
  long ldup = 0;
  long ldout = 0;
};

/// Returns when `out` is complete. Throws ConfigRejected for an unknown config, before `out` is touched. With
/// `fast_exp`, the relative error is below 1e-6 for finite gates above -87; below that, silu is 0 to within
/// 1e-35.
CONTEXTUAL_API void gated_activation_compute(const GatedActivationConfig& config,
                                             const GatedActivationArgs& args, Isa isa = native_isa());

}  // namespace contextual::kernels
