#include "kernels/cuda/peers/sm_budget.hpp"

#include <contextual/config.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

namespace contextual::kernels::cuda {

namespace {

/// Returns the most multiprocessors that a kernel occupies according to a parameter of its configs, where
/// what is not positive is counted from `all`; or nothing if it is not among them.
std::optional<int> most(std::span<const AssignedConfig> configs, std::string_view kernel,
                        std::string_view parameter, int all) {
  std::optional<int> result;
  for (const AssignedConfig& config : configs) {
    if (config.kernel == kernel && config.config != nullptr) {
      const int sms = config.config->get<int>(parameter);
      result = std::max(result.value_or(0), sms > 0 ? sms : all + sms);
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> waiting_kernels() {
  return {transfer_kernel_name, gathered_gemm_name, scattered_gemm_name};
}

bool fit_together(std::span<const AssignedConfig> configs, int multiprocessors) {
  const auto gemm = most(configs, gathered_gemm_name, "NUM_SMS", multiprocessors);
  const auto transfer = most(configs, transfer_kernel_name, "SMS", 0);
  return !gemm || !transfer || std::min(*gemm, multiprocessors) + *transfer <= multiprocessors;
}

}  // namespace contextual::kernels::cuda
