#pragma once

/// \file
/// The parameters of the Hopper GEMM besides its tensor maps. Also compiled by NVRTC.

#include "kernels/cuda/gemm_epilogue.hpp"

namespace contextual::kernels::cuda {

/// Of the values of A and B, where they are fp8: one of each, or of each row of A and of B, or of blocks.
struct GemmScales {
  const float* a;
  const float* b;
  bool each;
  int m;               ///< rows of A
  int rows_per_shard;  ///< of A
  int shard_room;      ///< how many more scales than rows a shard has room for, at least 0
  int pitch;           ///< of blocks: from the scales of a shard's rows to those of the next block of k
};

struct GemmParameters {
  const unsigned* ready_flags;
  unsigned* timed_out;
  const unsigned* host_abort;
  unsigned long long wait_budget_ns;
  unsigned ready_value;
  int rows_per_flag;
  int rows_per_shard;
  int flags_per_shard;
  int first_row;
  int m;
  int n;
  int k;
  bool fp16;
  GemmEpilogue epilogue;
  GemmScales scales;
};

}  // namespace contextual::kernels::cuda
