#include "kernels/cuda/peers/sm_budget.hpp"

#include <contextual/config.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

namespace contextual::kernels::cuda {

namespace {

/// A GEMM, and the kernel of the same call that runs beside it.
struct Pair {
  std::string_view gemm;
  std::string_view beside;
};

constexpr Pair pairs[] = {{gathered_gemm_name, transfer_kernel_name},
                          {scattered_gemm_name, partial_sum_name}};

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

std::vector<std::string> sharing_kernels() {
  return {transfer_kernel_name, gathered_gemm_name, scatter_kernel_name, partial_sum_name,
          scattered_gemm_name};
}

bool fit_together(std::span<const AssignedConfig> configs, int multiprocessors) {
  return std::all_of(std::begin(pairs), std::end(pairs), [&](const Pair& pair) {
    const auto gemm = most(configs, pair.gemm, "NUM_SMS", multiprocessors);
    const auto beside = most(configs, pair.beside, "SMS", 0);
    return !gemm || !beside || std::min(*gemm, multiprocessors) + *beside <= multiprocessors;
  });
}

}  // namespace contextual::kernels::cuda
