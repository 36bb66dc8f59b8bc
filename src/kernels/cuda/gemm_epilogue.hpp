#pragma once

/// \file
/// What a GEMM does to its sums before it rounds them. Also compiled by NVRTC.

#include <contextual/kernels/cuda/activation.hpp>

namespace contextual::kernels::cuda {

/// activation(sum + bias), in float.
struct GemmEpilogue {
  const void* bias;  ///< of C's type, by column; null for none
  Activation activation;
  int n;  ///< columns of C
};

/// C = (residual + activation(sums + bias)) * factor, where the sums are rounded already: what is left to do
/// behind cuBLASLt and NCCL. Pitches are in values. C may be where the sums are, or the residual.
struct GemmRemainder {
  const void* sums;
  const void* factor;    ///< with the sums' pitch; null for 1
  const void* residual;  ///< null for none
  void* c;
  int sums_pitch;
  int residual_pitch;
  int c_pitch;
  int rows;
  GemmEpilogue epilogue;
  bool fp16;
};

}  // namespace contextual::kernels::cuda
