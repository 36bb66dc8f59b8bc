// A program whose ranks tune together over NCCL, as a user would write it. Without a GPU it says so and ends
// well.

#include <contextual/autotuner.hpp>
#include <contextual/cuda.hpp>
#include <contextual/kernel.hpp>
#include <contextual/nccl.hpp>

#include <cstdio>

namespace {

struct StrideConfig {
  int stride = 1;
};

}  // namespace

int main() {
  contextual::TunableKernel touch{
      "touch", contextual::ConfigSpace<StrideConfig>{{"STRIDE", &StrideConfig::stride, {1, 2}}},
      [](int count) { return contextual::make_key(count); },
      [](const StrideConfig& config, int count) {
        volatile int sum = 0;
        for (int i = 0; i < count; i += config.stride) {
          sum = sum + i;
        }
        return ncclInProgress;  // an operation that is under way is no failure
      }};
  const auto world = contextual::nccl_world();  // one rank, unless a launcher started several
  contextual::ContextualAutotuner tuner{{.log_directory = "", .communicator = world}};
  tuner.run("touching", [&] { touch(10'000); });
  const contextual::Report report = tuner.report();
  const bool locked_in =
      report.find("touching")->problems.at(0).outcome == contextual::ProblemOutcome::locked_in;

  const std::string problem = contextual::nccl_problem() + contextual::cuda_problem();
  if (!problem.empty()) {
    std::printf("no NCCL here: %s\n", problem.c_str());
    return locked_in ? 0 : 1;
  }
  const auto own = contextual::nccl_communicator(contextual::nccl_id(), 0, 1, {.device = 0});
  std::printf("%s\n", own->describe().c_str());
  return locked_in ? 0 : 1;
}
