#pragma once

/// \file
/// The parameters of the all-gather of a mixture of experts. Also compiled by NVRTC.

#include "gather_parameters.hpp"
#include "kernels/cuda/grouped_gemm_parameters.hpp"

namespace contextual::kernels::cuda {

struct MoeGatherParameters : GatherParameters {
  GroupedGemmParameters product;
  void* output;          ///< filled with NaN if the call has failed
  const int* positions;  ///< how many it has
};

}  // namespace contextual::kernels::cuda
