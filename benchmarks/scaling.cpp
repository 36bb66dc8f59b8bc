/// \file
/// What the tuner itself costs, against kernels, configs, simulated ranks, searched problems and keys: the
/// region does nothing, and times come from a script. Time and memory are the tuner's own.

#include "simulated_kernels.hpp"

#include <contextual/key.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace contextual::benchmarks;
using contextual::Config;
using Kernel = contextual::TunableKernel<void(const Config&, int)>;

std::vector<std::unique_ptr<Kernel>> make_kernels(int kernel_count, int config_count) {
  std::vector<std::unique_ptr<Kernel>> kernels;
  for (int i = 0; i < kernel_count; ++i) {
    kernels.push_back(std::make_unique<Kernel>("kernel-" + std::to_string(i),
                                               numbered_configs(static_cast<std::size_t>(config_count)),
                                               contextual::single_problem, [](const Config&, int) {}));
  }
  return kernels;
}

RunCost measure(int kernel_count, int config_count, int n_repeat, int ranks, bool search) {
  const auto kernels = make_kernels(kernel_count, config_count);
  const contextual::Options options{
      .n_warmup = 1,
      .n_repeat = n_repeat,
      .search = search ? contextual::SearchLevel::normal : contextual::SearchLevel::off,
      .max_iterations = 1'000'000,
      .log_directory = "",
      .timer = contextual::testing::scripted_timer(time_by_number)};
  contextual::testing::ScriptedWorld world(ranks);
  return tune_on_ranks(world, options,
                       [&](contextual::ContextualAutotuner& tuner, int rank, std::int64_t& runs) {
                         tuner.run("scaling",
                                   [&] {
                                     ++runs;
                                     for (const auto& kernel : kernels) {
                                       (*kernel)(0);
                                     }
                                   },
                                   {.communicator = world.communicator(rank)});
                       });
}

void report(int kernels, int configs, int n_repeat, int ranks, bool search) {
  const RunCost cost = measure(kernels, configs, n_repeat, ranks, search);
  const double launches = static_cast<double>(cost.runs) * kernels;
  const double samples = static_cast<double>(kernels) * configs * n_repeat * ranks;
  std::printf("%7d %7d %7d %5d %6s %7lld %9.1f %11.2f %12.2f %13.1f %12.1f\n", kernels, configs, n_repeat,
              ranks, search ? "on" : "off", static_cast<long long>(cost.runs), cost.seconds * 1e3,
              cost.seconds * 1e6 / static_cast<double>(cost.runs), cost.seconds * 1e6 / launches,
              static_cast<double>(cost.bytes) / 1024, static_cast<double>(cost.bytes) / samples);
}

/// Times are noisy, so that the search spends all its runs.
void report_searched(int kernel_count, int config_count) {
  const auto kernels = make_kernels(kernel_count, config_count);
  std::uint32_t state = 1;
  contextual::ContextualAutotuner tuner(
      {.log_directory = "", .timer = contextual::testing::scripted_timer([&](const auto& launch) {
                              state = state * 1664525 + 1013904223;
                              return time_by_number(launch) + (state >> 24U);
                            })});
  long long runs = 0;
  const double seconds = elapsed([&] {
    tuner.run("searched", [&] {
      ++runs;
      for (const auto& kernel : kernels) {
        (*kernel)(0);
      }
    });
  });
  std::printf("%-26s %5d %7d %7lld %9.2f\n", "problems, searched", kernel_count, config_count, runs, seconds);
}

/// Each run of the region has a key of its own, until the cap.
void report_changing_key(int cap) {
  contextual::TunableKernel<void(const Config&, int)> kernel(
      "changing-key", numbered_configs(4), [](int key) { return contextual::make_key(key); },
      [](const Config&, int) {});
  contextual::ContextualAutotuner tuner(
      {.n_warmup = 1,
       .n_repeat = 1,
       .max_iterations = cap,
       .log_directory = "",
       .timer = contextual::testing::scripted_timer([](const auto&) { return std::int64_t{1000}; })});
  int runs = 0;
  const double seconds = elapsed([&] { tuner.run("changing-key", [&] { kernel(runs++); }); });
  std::printf("%-26s %5d %7d %7d %9.2f\n", "keys, one for each run", runs, 4, runs, seconds);
}

}  // namespace

int main() {
  use_one_arena();
  std::printf(
      "kernels configs repeats ranks search    runs  total ms   us per run us per launch   memory KiB  B per "
      "sample\n");
  for (const bool search : {false, true}) {
    for (const int kernels : {1, 4, 16, 64}) {
      report(kernels, 8, 5, 1, search);
    }
  }
  for (const int configs : {8, 32, 128, 512}) {
    report(4, configs, 5, 1, false);
  }
  for (const int repeats : {5, 20, 80}) {
    report(4, 8, repeats, 1, false);
  }
  for (const int ranks : {1, 2, 4, 8, 16, 32, 64}) {
    report(4, 8, 5, ranks, true);
  }
  std::printf("\n%-26s %5s %7s %7s %9s\n", "very many", "count", "configs", "runs", "total s");
  for (const int kernels : {25, 50, 100}) {
    report_searched(kernels, 4);
  }
  for (const int cap : {500, 1000, 2000}) {
    report_changing_key(cap);
  }
  return 0;
}
