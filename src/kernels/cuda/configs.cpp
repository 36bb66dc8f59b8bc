#include "kernels/cuda/gemm_gather.hpp"
#include "kernels/cuda/gemm_resources.hpp"
#include "kernels/cuda/gemm_scatter.hpp"
#include "kernels/cuda/gemm_split.hpp"
#include "kernels/listed_configs.hpp"

#include <contextual/kernels/cuda/configs.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/fp8_gemm.hpp>
#include <contextual/kernels/cuda/gated_mlp.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/rms_norm_rope.hpp>
#include <contextual/kernels/cuda/vector_add.hpp>

#include <algorithm>
#include <cstddef>

namespace contextual::kernels::cuda {
namespace {

ResourceNeeds rms_norm_rope_needs(const RmsNormRopeConfig& config) {
  return {.threads = config.threads_per_row * config.rows_per_block};
}

ResourceNeeds vector_add_needs(const VectorAddConfig& config) {
  return {.threads = config.block};
}

/// An algorithm of cuBLASLt does not tell.
ResourceNeeds unknown_needs(const CublasLtConfig& /*config*/) {
  return {};
}

const KernelList& kernel_list() {
  static const KernelList kernels({
      {gathered_gated_name, [] { return list_configs(gated_gather_space(), gemm_needs); }},
      {gathered_gemm_name, [] { return list_configs(gemm_gather_space(), gemm_needs); }},
      {"cuda_cublaslt_gemm", [] { return list_configs(cublaslt_space(), unknown_needs); }},
      {"cuda_fp8_gemm", [] { return list_configs(fp8_gemm_space(), gemm_needs); }},
      {"cuda_fp8_gemm_promoted",
       [] { return list_configs(fp8_gemm_space(Fp8Accumulation::promoted), gemm_needs); }},
      {"cuda_gated_mlp", [] { return list_configs(gated_mlp_space(), gemm_needs); }},
      {"cuda_gemm", [] { return list_configs(gemm_space(), gemm_needs); }},
      {scattered_gemm_name, [] { return list_configs(gemm_scatter_space(), gemm_needs); }},
      {split_gemm_name, [] { return list_configs(gemm_split_space(), gemm_split_needs); }},
      {"cuda_rms_norm_rope", [] { return list_configs(rms_norm_rope_space(), rms_norm_rope_needs); }},
      {"cuda_vector_add", [] { return list_configs(vector_add_space(), vector_add_needs); }},
  });
  return kernels;
}

template <typename Kernel, typename Args>
bool keeps(const Kernel& kernel, const Args& args, const Config& config) {
  for (std::size_t id = 0; id < kernel.space().size(); ++id) {
    if (kernel.space().to_config(id) == config) {
      return kernel.keeps(id, nullptr, args);
    }
  }
  return false;
}

/// A size that is not known is large.
int known_or_large(int size, int other_name = 0) {
  constexpr int large = 1 << 20;
  return std::max(size, other_name) > 0 ? std::max(size, other_name) : large;
}

bool suits(std::string_view kernel_type, const ProblemSizes& sizes, const Config& config) {
  const int m = known_or_large(sizes.m);
  const int n = known_or_large(sizes.n, kernel_type == GATED_MLP ? sizes.intermediate_dim : 0);
  const int k = known_or_large(sizes.k, sizes.hidden_dim);
  if (kernel_type == RMSNORM_ROPE) {
    return sizes.hidden_dim == 0 ||
           keeps(rms_norm_rope(), RmsNormRopeArgs{.head_dim = sizes.hidden_dim}, config);
  }
  if (kernel_type == GATED_MLP) {
    return keeps(gated_mlp(), GatedMlpArgs{.a = {}, .weights = {}, .c = {}, .m = m, .n = n, .k = k}, config);
  }
  if (kernel_type == "cuda_gemm") {
    return keeps(gemm(), GemmArgs{.a = {}, .b = {}, .c = {}, .m = m, .n = n, .k = k}, config);
  }
  for (const Fp8Accumulation accumulation : {Fp8Accumulation::fast, Fp8Accumulation::promoted}) {
    if (kernel_type == fp8_gemm(accumulation).name()) {
      const Fp8GemmArgs args{.a = {}, .b = {}, .c = {}, .m = m, .n = n, .k = k, .a_scale = {}, .b_scale = {}};
      return keeps(fp8_gemm(accumulation), args, config);
    }
  }
  return true;
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
  std::vector<Config> valid = filter_valid_configs(kernel_type, configs, limits);
  std::erase_if(valid, [&](const Config& config) { return !suits(kernel_type, sizes, config); });
  return valid;
}

Config get_default_config(std::string_view kernel_type, const ResourceLimits& limits) {
  return kernel_list().default_of(kernel_type, limits);
}

}  // namespace contextual::kernels::cuda
