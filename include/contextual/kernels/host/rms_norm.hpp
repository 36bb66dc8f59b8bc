#pragma once

/// \file
/// RMSNorm on the CPU. It contains no tuning policy; kernels.hpp makes it a tunable kernel.

#include <contextual/export.hpp>
#include <contextual/kernels/host/isa.hpp>

namespace contextual::kernels {

struct RmsNormConfig {
  int rows_per_block = 8;  ///< rows that a thread takes at a time
  int unroll = 2;          ///< independent sums of a row: 1, 2, 4 or 8 vectors
  int threads = 1;

  bool operator==(const RmsNormConfig&) const = default;
};

/// out[i, j] = x[i, j] / sqrt(mean over j of x[i, j]^2 + eps) * weight[j]. Matrices are row-major, with
/// leading dimensions in elements. `out` may be `x`, if their leading dimensions are equal. Elements of a row
/// beyond `cols` are never touched.
struct RmsNormArgs {
  const float* x = nullptr;
  const float* weight = nullptr;
  float* out = nullptr;
  long rows = 0;
  long cols = 0;
  long ldx = 0;
  long ldout = 0;
  float eps = 1e-6F;
};

/// Returns when `out` is complete. Throws ConfigRejected for an unknown config, before `out` is touched. The
/// last bits of a row depend on `unroll` but not on the threads.
CONTEXTUAL_API void rms_norm_compute(const RmsNormConfig& config, const RmsNormArgs& args,
                                     Isa isa = native_isa());

}  // namespace contextual::kernels
