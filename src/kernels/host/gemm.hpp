#pragma once

/// \file
/// A blocked float GEMM on the CPU. No tuning policy: kernels.hpp makes the tunable kernel of it.

#include "kernels/host/isa.hpp"

namespace contextual::kernels {

/// How a GEMM is cut up. Block sizes in elements, at least 1; mc and nc are rounded up to whole tiles.
struct GemmConfig {
  int mc = 96;      ///< rows of A packed at a time: mc x kc is to stay in the L2 cache
  int kc = 256;     ///< depth of a block: kc x nr is to stay in the L1 cache
  int nc = 2048;    ///< columns of B packed at a time: kc x nc is to stay in the L3 cache
  int mr = 6;       ///< rows of a register tile: 4, 6, 8 or 12
  int nr = 16;      ///< columns of a register tile: 16 or 32
  int threads = 1;  ///< each takes a share of the rows or of the columns, whichever are more

  bool operator==(const GemmConfig&) const = default;
};

/// C[m, n] = A[m, k] B[k, n], row-major, leading dimensions in elements; with `accumulate`, C += A B. C must
/// not overlap A or B. Without `accumulate` C is only written. Elements of a row beyond n are never touched.
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

/// Computes on the calling thread and `threads - 1` more; returns when C is complete. The packed blocks are
/// kept by each thread for its next call. Throws ConfigRejected, before C is touched, for a tile or block
/// size that it does not have; std::bad_alloc. The result for one (mr, nr) x kc may differ from another's in
/// the last bits: sums over k are cut every kc.
void gemm_compute(const GemmConfig& config, const GemmArgs& args, Isa isa = native_isa());

}  // namespace contextual::kernels
