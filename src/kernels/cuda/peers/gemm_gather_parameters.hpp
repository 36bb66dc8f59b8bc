#pragma once

/// \file
/// The parameters of the fused all-gather GEMM besides its tensor maps. Also compiled by NVRTC.

#include "gather_parameters.hpp"
#include "kernels/cuda/gemm_epilogue.hpp"
#include "kernels/cuda/gemm_parameters.hpp"

namespace contextual::kernels::cuda {

struct GemmGatherParameters : GatherParameters {
  static constexpr int most_products = 4;

  int k_parts;  ///< in which copies bring a source's rows, each with a flag
  bool fp16;
  int products;
  int n[most_products];
  bool finishes;  ///< at least one of them has an epilogue
  GemmEpilogue epilogue[most_products];
  void* output[most_products];  ///< filled with NaN if the call has failed
  int pitch[most_products];     ///< of the output's rows
  GemmScales gemm_scales[most_products];
};

}  // namespace contextual::kernels::cuda
