#include "kernels/listed_configs.hpp"

#include <contextual/kernels/mpi/configs.hpp>
#include <contextual/kernels/mpi/kernels.hpp>

namespace contextual::kernels::mpi {
namespace {

template <typename C>
ListedConfigs without_needs(const ConfigSpace<C>& space) {
  return list_configs(space, [](const C& /*config*/) { return ResourceNeeds{}; });
}

const KernelList& kernel_list() {
  static const KernelList kernels({
      {"mpi_all_gather", [] { return without_needs(all_gather_space()); }},
      {"mpi_reduce_scatter", [] { return without_needs(reduce_scatter_space()); }},
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

}  // namespace contextual::kernels::mpi
