#include "kernels/cuda/expert_sum_scatter.hpp"
#include "kernels/cuda/gemm_gather.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_resources.hpp"
#include "kernels/cuda/gemm_scatter.hpp"
#include "kernels/cuda/gemm_split.hpp"
#include "kernels/cuda/grouped_gemm.hpp"
#include "kernels/cuda/rms_norm_rope.hpp"
#include "kernels/listed_configs.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/configs.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/fp8_gemm.hpp>
#include <contextual/kernels/cuda/gated_mlp.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/mma_gemm.hpp>
#include <contextual/kernels/cuda/rms_norm_rope.hpp>
#include <contextual/kernels/cuda/vector_add.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace contextual::kernels::cuda {
namespace {

ResourceNeeds rms_norm_rope_needs(const RmsNormRopeConfig& config) {
  return {.threads = config.threads_per_row * config.rows_per_block};
}

ResourceNeeds vector_add_needs(const VectorAddConfig& config) {
  return {.threads = config.block};
}

ResourceNeeds expert_sum_needs(const ExpertSumConfig& config) {
  return {.threads = config.threads};
}

ResourceNeeds expert_sum_scatter_needs(const ExpertSumScatterConfig& config) {
  return {.threads = config.threads};
}

/// An algorithm of cuBLASLt does not tell.
ResourceNeeds unknown_needs(const CublasLtConfig& /*config*/) {
  return {};
}

const KernelList& kernel_list() {
  static const KernelList kernels({
      {copied_gemm_name, [] { return list_configs(gemm_gather_space(), gemm_needs); }},
      {gathered_fp8_name, [] { return list_configs(gemm_gather_space(), gemm_needs); }},
      {gathered_fp8_blocks_name,
       [] { return list_configs(fp8_blocks_gather_space(), fp8_blocks_gather_needs); }},
      {gathered_gated_name, [] { return list_configs(gated_gather_space(), gemm_needs); }},
      {gathered_gemm_name, [] { return list_configs(gemm_gather_space(), gemm_needs); }},
      {gathered_gated_moe_name, [] { return list_configs(grouped_gated_mlp_space(), gemm_needs); }},
      {gathered_moe_name, [] { return list_configs(grouped_gemm_space(), gemm_needs); }},
      {"cuda_cublaslt_gemm", [] { return list_configs(cublaslt_space(), unknown_needs); }},
      {expert_sum_name, [] { return list_configs(expert_sum_space(), expert_sum_needs); }},
      {scattered_sum_name, [] { return list_configs(expert_sum_scatter_space(), expert_sum_scatter_needs); }},
      {"cuda_fp8_gemm", [] { return list_configs(fp8_gemm_space(), gemm_needs); }},
      {"cuda_fp8_gemm_blocks",
       [] { return list_configs(fp8_gemm_space(Fp8Accumulation::blocks), fp8_blocks_needs); }},
      {"cuda_fp8_gemm_promoted",
       [] { return list_configs(fp8_gemm_space(Fp8Accumulation::promoted), gemm_needs); }},
      {"cuda_gated_mlp", [] { return list_configs(gated_mlp_space(), gemm_needs); }},
      {"cuda_gemm", [] { return list_configs(gemm_space(), gemm_needs); }},
      {scattered_gemm_name, [] { return list_configs(gemm_scatter_space(), gemm_needs); }},
      {split_gemm_name, [] { return list_configs(gemm_split_space(), gemm_split_needs); }},
      {grouped_gated_mlp_name, [] { return list_configs(grouped_gated_mlp_space(), gemm_needs); }},
      {grouped_gemm_name, [] { return list_configs(grouped_gemm_space(), gemm_needs); }},
      {"cuda_mma_gemm", [] { return list_configs(mma_gemm_space(), mma_gemm_needs); }},
      {"cuda_rms_norm_rope", [] { return list_configs(rms_norm_rope_space(), rms_norm_rope_needs); }},
      {"cuda_vector_add", [] { return list_configs(vector_add_space(), vector_add_needs); }},
  });
  return kernels;
}

/// Of a product of fp8.
std::optional<Fp8Accumulation> fp8_accumulation(std::string_view kernel_type) {
  if (kernel_type == FP8_GEMM) {
    return Fp8Accumulation::fast;
  }
  if (kernel_type == "cuda_fp8_gemm_promoted") {
    return Fp8Accumulation::promoted;
  }
  return kernel_type == "cuda_fp8_gemm_blocks" ? std::optional(Fp8Accumulation::blocks) : std::nullopt;
}

/// The config of the space is kept, as KernelOptions::keep says of a launch.
template <typename C, typename Keep>
bool keeps(const ConfigSpace<C>& space, const Config& config, const Keep& keep) {
  for (std::size_t id = 0; id < space.size(); ++id) {
    if (space.to_config(id) == config) {
      return keep(space[id]);
    }
  }
  return false;
}

bool is_for_sizes(std::string_view kernel_type, const ProblemSizes& sizes, const Config& config) {
  constexpr int large = 1 << 20;  // as a size that is not known
  const int n_or_other_name = sizes.n > 0 || kernel_type != GATED_MLP ? sizes.n : sizes.intermediate_dim;
  const int m = sizes.m > 0 ? sizes.m : large;
  const int n = n_or_other_name > 0 ? n_or_other_name : large;
  const auto inside = [&](const GemmConfig& gemm) { return is_mostly_inside(gemm, m, n); };
  if (kernel_type == RMSNORM_ROPE) {
    return sizes.hidden_dim == 0 || keeps(rms_norm_rope_space(), config, [&](const RmsNormRopeConfig& norm) {
             return cuda::suits(norm, RmsNormRopeArgs{.head_dim = sizes.hidden_dim});
           });
  }
  if (kernel_type == GATED_MLP) {
    return keeps(gated_mlp_space(), config,
                 [&](const GemmConfig& gemm) { return is_mostly_inside_gated(gemm, m, n); });
  }
  if (kernel_type == "cuda_gemm") {
    return keeps(gemm_space(), config, inside);
  }
  const std::optional<Fp8Accumulation> fp8 = fp8_accumulation(kernel_type);
  return !fp8 || keeps(fp8_gemm_space(*fp8), config,
                       [&](const GemmConfig& gemm) { return is_mostly_inside_fp8(gemm, m, n); });
}

/// No config computes a product whose rows do not begin at multiples of 16 bytes: a launch refuses it.
void check_sizes(std::string_view kernel_type, const ProblemSizes& sizes) {
  const bool fp8 = fp8_accumulation(kernel_type).has_value();
  if (!fp8 && kernel_type != "cuda_gemm" && kernel_type != GATED_MLP && kernel_type != "cuda_mma_gemm") {
    return;
  }
  const auto check = [&](const char* name, int size, int multiple) {
    if (size % multiple != 0) {
      throw InvalidArgument("kernel \"" + std::string(kernel_type) + "\": " + name +
                            " must be a multiple of " + std::to_string(multiple) + ", not " +
                            std::to_string(size));
    }
  };
  check("n", sizes.n, 8);
  check("intermediate_dim", kernel_type == GATED_MLP ? sizes.intermediate_dim : 0, 8);
  check("k", sizes.k, fp8 ? 16 : 8);
}

}  // namespace

std::vector<std::string> kernel_types() {
  return kernel_list().names();
}

ResourceNeeds resource_needs(std::string_view kernel_type, const Config& config) {
  return kernel_list().needs(kernel_type, config);
}

std::vector<Config> generate_configs(std::string_view kernel_type, const ResourceLimits& limits) {
  return kernel_list().generate(kernel_type, limits);
}

std::vector<Config> filter_valid_configs(std::string_view kernel_type, const std::vector<Config>& configs,
                                         const ResourceLimits& limits) {
  return kernel_list().filter(kernel_type, configs, limits);
}

std::vector<Config> filter_valid_configs(std::string_view kernel_type, const std::vector<Config>& configs,
                                         const ProblemSizes& sizes, const ResourceLimits& limits) {
  check_sizes(kernel_type, sizes);
  std::vector<Config> valid = filter_valid_configs(kernel_type, configs, limits);
  const auto rest = std::stable_partition(valid.begin(), valid.end(), [&](const Config& config) {
    return is_for_sizes(kernel_type, sizes, config);
  });
  if (rest != valid.begin()) {
    valid.erase(rest, valid.end());
  } else if (!valid.empty()) {
    valid.resize(1);  // as `keep` of a launch: if it refuses all of them, the default remains
  }
  return valid;
}

Config get_default_config(std::string_view kernel_type, const ResourceLimits& limits) {
  return kernel_list().default_of(kernel_type, limits);
}

}  // namespace contextual::kernels::cuda
