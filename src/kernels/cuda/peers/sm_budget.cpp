#include "kernels/cuda/peers/sm_budget.hpp"

#include <contextual/config.hpp>

#include <algorithm>

namespace contextual::kernels::cuda {

std::vector<std::string> sharing_kernels() {
  return {transfer_kernel_name, gathered_gemm_name};
}

bool fit_together(std::span<const AssignedConfig> configs, int multiprocessors) {
  int transfers = 0;  // the largest one
  int gemms = 0;
  for (const AssignedConfig& config : configs) {
    if (config.config == nullptr) {
      continue;
    }
    if (config.kernel == transfer_kernel_name) {
      transfers = std::max(transfers, config.config->get<int>("SMS"));
    } else if (config.kernel == gathered_gemm_name) {
      const int wanted = config.config->get<int>("NUM_SMS");
      gemms = std::max(gemms, wanted == 0 ? multiprocessors : std::min(wanted, multiprocessors));
    }
  }
  return gemms == 0 || transfers + gemms <= multiprocessors;
}

}  // namespace contextual::kernels::cuda
