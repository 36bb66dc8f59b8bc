// A program of two ranks, as a user would write it: MPI is initialised by the library.

#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>
#include <contextual/mpi.hpp>

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
      }};
  const auto world = contextual::mpi_world();
  contextual::ContextualAutotuner tuner{{.log_directory = "", .communicator = world}};
  tuner.run("touching", [&] { touch(10'000); });
  const contextual::Report report = tuner.report();
  const auto& problem = report.find("touching")->problems.at(0);
  if (world->rank() == 0) {
    std::printf("%s: config-%zu, %s\n", world->describe().c_str(), problem.choice, problem.reason.c_str());
  }
  return world->size() == 2 && problem.outcome == contextual::ProblemOutcome::locked_in ? 0 : 1;
}
