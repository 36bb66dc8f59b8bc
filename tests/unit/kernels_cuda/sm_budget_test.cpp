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

bool fit(const char* gemm, int num_sms, const char* beside, int sms) {
  const Config of_gemm{{"NUM_SMS", num_sms}};
  const Config of_beside{{"SMS", sms}};
  const std::vector<AssignedConfig> configs{assigned(gemm, &of_gemm), assigned(beside, &of_beside)};
  return fit_together(configs, multiprocessors);
}

}  // namespace

TEST_CASE("SM budget: what runs beside a GEMM must find room there, and the defaults always do", "[unit]") {
  for (const auto& [gemm, beside] : {std::pair{gathered_gemm_name, transfer_kernel_name},
                                     std::pair{scattered_gemm_name, partial_sum_name}}) {
    CAPTURE(gemm);
    CHECK(fit(gemm, 0, beside, 0));
    CHECK_FALSE(fit(gemm, 0, beside, 1));
    CHECK(fit(gemm, 116, beside, 16));
    CHECK_FALSE(fit(gemm, 117, beside, 16));
    CHECK(fit(gemm, -16, beside, 16));
    CHECK_FALSE(fit(gemm, -15, beside, 16));
    CHECK(fit(gemm, 1000, beside, 0));  // more than there are: all
    CHECK_FALSE(fit(gemm, 1000, beside, 8));
  }
}

TEST_CASE("SM budget: kernels of different calls do not count together", "[unit]") {
  CHECK(fit(gathered_gemm_name, 0, partial_sum_name, 16));
  CHECK(fit(scattered_gemm_name, 0, transfer_kernel_name, 16));
  CHECK(fit("another", 0, transfer_kernel_name, 16));
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
