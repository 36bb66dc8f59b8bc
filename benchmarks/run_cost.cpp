/// \file
/// What a call of a region costs when nothing is left to tune: the region alone, a wrapped region's later
/// call, a `run`, and for comparison the first `run` of a new tuner, which has to look whether something is
/// new. The region launches one kernel that does nothing. Medians of calls that take turns.

#include "simulated_kernels.hpp"
#include "temporary_directory.hpp"

#include <contextual/tuned_region.hpp>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace contextual::benchmarks;
using contextual::Config;

constexpr int rounds = 500;

struct Way {
  std::string name;
  std::function<void()> call;
  std::vector<double> times_us{};
};

using Kernel = contextual::TunableKernel<void(const Config&)>;

/// On one rank of a group; rank 0 prints.
void measure(const std::shared_ptr<contextual::Communicator>& communicator, Kernel& kernel,
             const std::filesystem::path& logs) {
  contextual::Options options{.n_warmup = 1, .n_repeat = 3, .log_directory = logs};
  options.communicator = communicator;
  contextual::ContextualAutotuner tuner(options);
  const auto region = [&] { kernel(); };
  auto wrapped = contextual::make_tuned_region(tuner, "run_cost_wrapped", region);
  tuner.run("run_cost", region);
  wrapped();
  std::vector<Way> ways{{"the region alone", region},
                        {"a later call of the wrapped region", wrapped},
                        {"run", [&] { tuner.run("run_cost", region); }},
                        {"the first run of a new tuner",
                         [&] { contextual::ContextualAutotuner(options).run("run_cost", region); }}};
  for (int round = 0; round < rounds; ++round) {
    for (Way& way : ways) {
      way.times_us.push_back(elapsed<std::micro>(way.call));
    }
  }
  for (const Way& way : ways) {
    if (communicator->rank() == 0) {
      std::printf("%5d  %-36s %10.2f\n", communicator->size(), way.name.c_str(), median(way.times_us));
    }
  }
}

}  // namespace

int main() {
  const TemporaryDirectory logs;
  Kernel kernel("run_cost", numbered_configs(4), contextual::single_problem, [](const Config&) {});
  std::printf("ranks  %-36s %10s\n", "what is called", "us");
  for (const int ranks : {1, 2, 4}) {
    contextual::testing::ScriptedWorld world(ranks);
    run_on_ranks(world,
                 [&](int /*rank*/, const auto& communicator) { measure(communicator, kernel, logs.path()); });
  }
  return 0;
}
