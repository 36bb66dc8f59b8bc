#pragma once

/// \file
/// The configs of the kernels on a GPU as names and values, by the kernel's name: "cuda_gemm",
/// "cuda_cublaslt_gemm", "cuda_fp8_gemm", "cuda_fp8_gemm_blocks", "cuda_fp8_gemm_promoted", "cuda_gated_mlp",
/// "cuda_grouped_gemm", "cuda_grouped_gated_mlp", "cuda_expert_sum", "cuda_mma_gemm", "cuda_rms_norm_rope"
/// and "cuda_vector_add"; and those of regions, "cuda_allgather_gemm", "cuda_allgather_copied_gemm",
/// "cuda_allgather_fp8_gemm", "cuda_allgather_fp8_gemm_blocks", "cuda_allgather_gated_mlp",
/// "cuda_allgather_moe", "cuda_allgather_gated_moe", "cuda_gemm_reduce_scatter",
/// "cuda_gemm_split_reduce_scatter" and "cuda_expert_sum_reduce_scatter". For programs that choose a kernel
/// while they run; others use its config space. Needs no GPU. Thread-safe.

#include <contextual/config.hpp>
#include <contextual/export.hpp>
#include <contextual/resource_limits.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace contextual::kernels::cuda {

/// Kernels whose config spaces are asked for by name elsewhere.
// NOLINTBEGIN(readability-identifier-naming): these are the names there
inline constexpr std::string_view RMSNORM_ROPE = "cuda_rms_norm_rope";
inline constexpr std::string_view GATED_MLP = "cuda_gated_mlp";
inline constexpr std::string_view FP8_GEMM = "cuda_fp8_gemm";
// NOLINTEND(readability-identifier-naming)

/// Sizes of what a kernel is to work on. 0: not known.
struct ProblemSizes {
  int m = 0;
  int n = 0;
  int k = 0;                 ///< of a product: says nothing about configs, but not every k can be computed
  int hidden_dim = 0;        ///< likewise for a product; of RMSNorm the length of a row
  int intermediate_dim = 0;  ///< n of a gated product
};

/// Returns the names of these kernels, in the order of texts.
CONTEXTUAL_API std::vector<std::string> kernel_types();

/// Returns what the kernel needs with this config: of a block, the threads and the shared memory.
/// Nothing is known of cuBLASLt's algorithms, nor of registers, which the compiler decides. Throws
/// InvalidArgument for an unknown kernel, and for a config that is not in its config space.
CONTEXTUAL_API ResourceNeeds resource_needs(std::string_view kernel_type, const Config& config);

/// Returns the configs of the kernel's config space that fit the limits, the default first if it does. Throws
/// InvalidArgument for an unknown kernel, which names those that there are.
CONTEXTUAL_API std::vector<Config> generate_configs(std::string_view kernel_type,
                                                    const ResourceLimits& limits = {});

/// Returns those of these configs that the kernel has and that fit the limits, in their order. Throws as
/// `generate_configs`.
CONTEXTUAL_API std::vector<Config> filter_valid_configs(std::string_view kernel_type,
                                                        const std::vector<Config>& configs,
                                                        const ResourceLimits& limits = {});

/// The same, and only those that a tuning with such sizes would try, as KernelOptions::keep says of a launch:
/// if sizes leave out all of them, the first one remains. Of kernels of several ranks, and of cuBLASLt, sizes
/// say nothing. Throws InvalidArgument also for n and k of a product that its kernel cannot compute.
CONTEXTUAL_API std::vector<Config> filter_valid_configs(std::string_view kernel_type,
                                                        const std::vector<Config>& configs,
                                                        const ProblemSizes& sizes,
                                                        const ResourceLimits& limits = {});

/// Returns the default of the kernel's config space; where that does not fit the limits, the first config
/// that does. Throws InvalidArgument if none does, and as `generate_configs`.
CONTEXTUAL_API Config get_default_config(std::string_view kernel_type, const ResourceLimits& limits = {});

}  // namespace contextual::kernels::cuda
