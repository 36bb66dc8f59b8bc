#pragma once

/// \file
/// A blocked float GEMM on the CPU. It contains no tuning policy; kernels.hpp makes it a tunable kernel.

#include <contextual/export.hpp>
#include <contextual/kernels/host/isa.hpp>

namespace contextual::kernels {

/// The blocking of a GEMM. Block sizes are in elements and at least 1; mc and nc are rounded up to whole
/// tiles.
struct GemmConfig {
  int mc = 96;      ///< rows of A packed at a time; mc x kc should fit the L2 cache
  int kc = 256;     ///< depth of a block; kc x nr should fit the L1 cache
  int nc = 2048;    ///< columns of B packed at a time; kc x nc should fit the L3 cache
  int mr = 6;       ///< rows of a register tile: 4, 6, 8 or 12
  int nr = 16;      ///< columns of a register tile: 16 or 32
  int threads = 1;  ///< each takes a share of the rows or of the columns, whichever are more

  bool operator==(const GemmConfig&) const = default;
};

/// C[m, n] = A[m, k] B[k, n], or C += A B with `accumulate`. Matrices are row-major, with leading dimensions
/// in elements. C must not overlap A or B. Without `accumulate`, C is only written. Elements of a row beyond
/// n are never touched.
struct GemmArgs {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  long m = 0;
  long n = 0;
  long k = 0;
  long lda = 0;  ///< at least k
  long ldb = 0;  ///< at least n
  long ldc = 0;  ///< at least n
  bool accumulate = false;
};

/// Computes on the calling thread and `threads - 1` others, and returns when C is complete. Each thread keeps
/// its memory for packed blocks for its next call. Throws ConfigRejected for an unknown tile or block size,
/// before C is touched, and std::bad_alloc. Results of configs with different mr, nr or kc may differ in the
/// last bits, because sums over k are split every kc.
CONTEXTUAL_API void gemm_compute(const GemmConfig& config, const GemmArgs& args, Isa isa = native_isa());

}  // namespace contextual::kernels
