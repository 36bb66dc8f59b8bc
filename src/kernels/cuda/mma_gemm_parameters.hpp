#pragma once

/// \file
/// The parameters of the GEMM for older devices and few rows. Also compiled by NVRTC.

#include "kernels/cuda/gemm_epilogue.hpp"

namespace contextual::kernels::cuda {

/// Pitches are in values.
struct MmaGemmParameters {
  const void* a;
  const void* b;
  void* c;
  int m;
  int n;
  int k;
  int a_pitch;
  int c_pitch;
  bool fp16;
  GemmEpilogue epilogue;
};

}  // namespace contextual::kernels::cuda
