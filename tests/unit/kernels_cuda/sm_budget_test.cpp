#include "kernels/cuda/peers/sm_budget.hpp"

#include "support/catch.hpp"

#include <contextual/config.hpp>

#include <vector>

namespace sm_budget_test {

using namespace contextual;
using namespace contextual::kernels::cuda;

namespace {

constexpr int multiprocessors = 132;

AssignedConfig assigned(const char* kernel, const Config* config) {
  return {kernel, "", 0, config};
}

bool fit(int num_sms, int sms) {
  const Config of_gemm{{"NUM_SMS", num_sms}};
  const Config of_transfer{{"SMS", sms}};
  const std::vector<AssignedConfig> configs{assigned(gathered_gemm_name, &of_gemm),
                                            assigned(transfer_kernel_name, &of_transfer)};
  return fit_together(configs, multiprocessors);
}

}  // namespace

TEST_CASE("SM budget: what runs beside a GEMM must find room there, and the defaults always do", "[unit]") {
  CHECK(fit(0, 0));
  CHECK_FALSE(fit(0, 1));
  CHECK(fit(116, 16));
  CHECK_FALSE(fit(117, 16));
  CHECK(fit(-16, 16));
  CHECK_FALSE(fit(-15, 16));
  CHECK(fit(1000, 0));  // more than there are: all
  CHECK_FALSE(fit(1000, 8));
}

TEST_CASE("SM budget: of several problems of one kernel the largest counts", "[unit]") {
  const Config all{{"NUM_SMS", 0}};
  const Config some{{"NUM_SMS", 100}};
  const Config transfer{{"SMS", 32}};
  std::vector<AssignedConfig> configs{assigned(gathered_gemm_name, &some),
                                      assigned(transfer_kernel_name, &transfer)};
  CHECK(fit_together(configs, multiprocessors));
  configs.push_back(assigned(gathered_gemm_name, &all));
  CHECK_FALSE(fit_together(configs, multiprocessors));
}

TEST_CASE("SM budget: a kernel that this rank does not launch is not asked for its config", "[unit]") {
  const Config transfer{{"SMS", 32}};
  const std::vector<AssignedConfig> configs{assigned(gathered_gemm_name, nullptr),
                                            assigned(transfer_kernel_name, &transfer)};
  CHECK(fit_together(configs, multiprocessors));
}

}  // namespace sm_budget_test
