#pragma once

/// \file
/// The kernels for a mixture of experts, and what they have in common.

#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/grouped_gemm_parameters.hpp"

#include <contextual/kernels/cuda/grouped_gemm.hpp>

#include <array>

namespace contextual::kernels::cuda {

inline constexpr const char* grouped_gemm_name = "cuda_grouped_gemm";
inline constexpr const char* grouped_gated_mlp_name = "cuda_grouped_gated_mlp";
inline constexpr const char* expert_sum_name = "cuda_expert_sum";

/// As grouped_pipeline.cuh has them.
struct GroupedMaps {
  CUtensorMap a;
  CUtensorMap b;
  std::array<CUtensorMap, grouped_store_maps> c;
};
GroupedMaps grouped_maps(const GemmConfig& config, const GroupedGemmArgs& args, bool gated);
GroupedGemmParameters grouped_parameters(const GemmConfig& config, const GroupedGemmArgs& args);

/// Returns the blocks for as many tiles as any routing has.
CudaLayout grouped_layout(const GemmConfig& config, const GroupedGemmArgs& args, bool gated);

/// Returns a source with the headers of grouped_pipeline.cuh.
CudaSource grouped_source(const char* file, const char* text);

/// With an even routing: see `is_mostly_inside`.
bool is_mostly_inside_grouped(const GemmConfig& config, const GroupedGemmArgs& args, bool gated);

/// As `gemm_space`, without tiles of 256 rows; the default has no clusters.
ConfigSpace<GemmConfig> grouped_gemm_space();
ConfigSpace<GemmConfig> grouped_gated_mlp_space();
ConfigSpace<ExpertSumConfig> expert_sum_space();

}  // namespace contextual::kernels::cuda
