/// \file
/// What a start with kept choices costs in one process: reading, agreeing and installing what is kept of a
/// region. The argument is the number of its kernels, of four configs each. The region is not run.
/// `new_key` is a call with a key that nobody has tuned, of a region that has as many of them on disk.
///
/// per_kernel is the time of one kernel; goal: less than 1 ms.

#include "temporary_directory.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>
#include <contextual/testing/scripted_communicator.hpp>
#include <contextual/testing/scripted_timer.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

struct TileConfig {
  int tile = 1;
};

using Kernel = contextual::TunableKernel<void(const TileConfig&, int)>;
using Kernels = std::vector<std::unique_ptr<Kernel>>;

Kernels make_kernels(std::int64_t count) {
  Kernels kernels;
  for (std::int64_t i = 0; i < count; ++i) {
    kernels.push_back(std::make_unique<Kernel>(
        "kept_" + std::to_string(i),
        contextual::ConfigSpace<TileConfig>{{"TILE", &TileConfig::tile, {1, 2, 4, 8}}},
        [](const int& key) { return contextual::make_key(key); }, [](const TileConfig&, int&) {}));
  }
  return kernels;
}

contextual::Options options_of(const std::filesystem::path& directory,
                               std::shared_ptr<contextual::Communicator> communicator) {
  contextual::Options options{.n_warmup = 1, .n_repeat = 1, .search = contextual::SearchLevel::off};
  options.log_directory = "";
  options.cache_directory = directory;
  options.communicator = std::move(communicator);
  options.timer = contextual::testing::scripted_timer([](const contextual::LaunchInfo& launch) {
    return 10'000 - 1'000 * static_cast<std::int64_t>(launch.config_id);
  });
  return options;
}

void load(benchmark::State& state) {
  const Kernels kernels = make_kernels(state.range(0));
  const contextual::benchmarks::TemporaryDirectory directory;
  // A world of simulated ranks stands for a process: its regions have no choices of those before.
  const auto world_of_one = [] { return contextual::testing::ScriptedWorld(1).communicator(0); };
  contextual::ContextualAutotuner first(options_of(directory.path(), world_of_one()));
  first.run("kept", [&] {
    for (const auto& kernel : kernels) {
      (*kernel)(1);
    }
  });
  std::optional<contextual::ContextualAutotuner> tuner;
  for (auto _ : state) {
    state.PauseTiming();
    tuner.emplace(options_of(directory.path(), world_of_one()));
    state.ResumeTiming();
    if (!tuner->load("kept")) {
      state.SkipWithError("nothing was kept");
      return;
    }
  }
  state.counters["per_kernel"] =
      benchmark::Counter(static_cast<double>(state.iterations() * state.range(0)),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void new_key(benchmark::State& state) {
  const Kernels kernels = make_kernels(1);
  const contextual::benchmarks::TemporaryDirectory directory;
  contextual::ContextualAutotuner tuner(
      options_of(directory.path(), contextual::testing::ScriptedWorld(1).communicator(0)));
  int key = 0;
  const auto call = [&] {
    ++key;
    tuner.run("kept", [&] { (*kernels[0])(key); });
  };
  while (key < state.range(0)) {
    call();
  }
  for (auto _ : state) {
    call();
  }
}

BENCHMARK(load)->Arg(1)->Arg(16)->Arg(256)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(new_key)->Arg(100)->Arg(600)->Arg(1200)->Iterations(20)->UseRealTime()->Unit(
    benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
