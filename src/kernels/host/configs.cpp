#include "kernels/listed_configs.hpp"

#include <contextual/kernels/host/configs.hpp>
#include <contextual/kernels/host/kernels.hpp>

namespace contextual::kernels {
namespace {

template <typename C>
ListedConfigs with_threads(const ConfigSpace<C>& space) {
  return list_configs(space, [](const C& config) { return ResourceNeeds{.threads = config.threads}; });
}

const KernelList& kernel_list() {
  static const KernelList kernels({
      {"host_flagged_gemm", [] { return with_threads(flagged_gemm_space()); }},
      {"host_gated_activation", [] { return with_threads(gated_activation_space()); }},
      {"host_gemm", [] { return with_threads(gemm_space()); }},
      {"host_rms_norm", [] { return with_threads(rms_norm_space()); }},
  });
  return kernels;
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

Config get_default_config(std::string_view kernel_type, const ResourceLimits& limits) {
  return kernel_list().default_of(kernel_type, limits);
}

}  // namespace contextual::kernels
