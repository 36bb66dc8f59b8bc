#pragma once

/// \file
/// The config spaces of the kernels for a mixture of experts.

#include <contextual/kernels/cuda/grouped_gemm.hpp>

namespace contextual::kernels::cuda {

inline constexpr const char* grouped_gemm_name = "cuda_grouped_gemm";
inline constexpr const char* grouped_gated_mlp_name = "cuda_grouped_gated_mlp";
inline constexpr const char* expert_sum_name = "cuda_expert_sum";

/// As `gemm_space`, without tiles of 256 rows.
ConfigSpace<GemmConfig> grouped_gemm_space();
ConfigSpace<GemmConfig> grouped_gated_mlp_space();
ConfigSpace<ExpertSumConfig> expert_sum_space();

}  // namespace contextual::kernels::cuda
