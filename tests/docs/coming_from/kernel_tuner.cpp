// section: Kernel Tuner
#include "docs/coming_from/coming_from.hpp"

#include <chrono>

using namespace coming_from;
using contextual::ContextualAutotuner;
using contextual::Options;

// row: `tune_kernel(name, source, problem_size, arguments, tune_params)`
TEST_CASE("Kernel Tuner: a kernel is tuned with the program's own arguments, alone or in a region",
          "[unit]") {
  int last = 0;
  const std::string name = "tuner_alone";
  const contextual::ConfigSpace<Tile> space = blocks();
  const auto launcher = [&](const Tile& tile, int) { last = tile.block; };
  contextual::KernelTunerOptions few_runs{.warmup_runs = 1, .benchmark_runs = 1};
  few_runs.tuning = quick();
  contextual::KernelTuner tuner_alone{name, space, launcher, few_runs};
  const contextual::TuneRequest request{.problem_size = {1 << 20}};
  const auto tune = [&](auto... arguments) { return tuner_alone.tune(request, arguments...); };
  const contextual::TuningResult result = tune(1 << 20);
  CHECK(tuner_alone.best(result).block == 256);
  contextual::TunableKernel kernel{"tuner_kernel", blocks(), [](int n) { return contextual::make_key(n); },
                                   [&](const Tile& tile, int) { last = tile.block; }};
  ContextualAutotuner tuner(quick());
  tuner.run("tuner kernel", [&] { kernel(1 << 20); });
  CHECK(last == 256);
}

// row: `tune_params={"block_size_x": [...]}`
TEST_CASE("Kernel Tuner: parameters and values are a space", "[unit]") {
  const contextual::ConfigSpace<Tile> space{{"block_size_x", &Tile::block, {64, 128}}};
  CHECK(space.size() == 2);
}

// row: `restrictions`
TEST_CASE("Kernel Tuner: a restriction is a constraint", "[unit]") {
  const auto space = contextual::ConfigSpace<Tile>{{"block_size_x", &Tile::block, {64, 128}}}.constraint(
      "small", [](const Tile& tile) { return tile.block < 128; });
  CHECK(space.size() == 1);
}

// row: `answer`, `atol`, `verify`
TEST_CASE("Kernel Tuner: a check of a launch rejects a config, and so do outputs and a check of the region",
          "[unit]") {
  int result = 0;
  const contextual::KernelOptions<void(const Tile&, int)> kernel_options{
      .check = [&](const Tile&, int n) { return result == n; }};
  contextual::TunableKernel kernel{"tuner_answer", blocks(), [](int n) { return contextual::make_key(n); },
                                   [&](const Tile& tile, int n) { result = tile.block == 256 ? -1 : n; },
                                   kernel_options};
  Options options = quick();
  int verified = 0;
  options.verify = [&](const contextual::IterationInfo&) { return ++verified > 0; };
  contextual::Output out = contextual::output("result", &result, 1);
  out.absolute = 0.5;
  options.outputs = std::vector{out};
  ContextualAutotuner tuner(options);
  tuner.run("tuner answer", [&] { kernel(7); });
  CHECK(tuner.report().runs.back().problems.at(0).choice_config == contextual::Config{{"BLOCK", 128}});
  CHECK(verified > 0);
}

// row: `iterations=7`, and their mean as the time
TEST_CASE("Kernel Tuner: repeats are counted", "[unit]") {
  Options options = quick();
  options.n_repeat = 7;
  contextual::TunableKernel kernel{"tuner_repeats", blocks(), contextual::single_problem, [](const Tile&) {}};
  ContextualAutotuner tuner(options);
  tuner.run("tuner repeats", [&] { kernel(); });
  CHECK(tuner.report().runs.back().walk_iterations == 3 * (1 + 7));
}

// row: `strategy`, `strategy_options` with `max_fevals` and `time_limit`
TEST_CASE("Kernel Tuner: the search and its limits are options", "[unit]") {
  bool searched = false;
  Options options = quick();
  options.search = contextual::SearchLevel::quick;
  options.search_settings.factory = [&](const contextual::SearchRequest& request) {
    searched = true;
    return contextual::joint_search(request);
  };
  options.search_settings.runs = 100;
  options.search_settings.time = std::chrono::seconds(10);
  contextual::TunableKernel one{"tuner_searched", blocks(), contextual::single_problem, [](const Tile&) {}};
  contextual::TunableKernel two{"tuner_beside", blocks(), contextual::single_problem, [](const Tile&) {}};
  ContextualAutotuner tuner(options);
  tuner.run("tuner searched", [&] {
    one();
    two();
  });
  CHECK(searched);
}

// row: `cache="file.json"`, from which an interrupted run continues
TEST_CASE("Kernel Tuner: a journal in the cache directory is what a next process goes on with", "[unit]") {
  const engine_test::TemporaryDirectory directory;
  Options options = quick();
  options.cache_directory = directory.path();
  options.journal = contextual::Journal::synced;
  bool written = false;
  contextual::TunableKernel kernel{"tuner_journal", blocks(), contextual::single_problem, [](const Tile&) {}};
  options.progress = [&](const contextual::Progress&) {
    written = written || std::filesystem::exists(directory.path() / "journal");
  };
  ContextualAutotuner tuner(options);
  tuner.run("tuner journal", [&] { kernel(); });
  CHECK(written);
}

// row: `objective`, `metrics`, `observers` (power, energy, clocks)
TEST_CASE("Kernel Tuner: the time decides, and counted work gives rates", "[unit]") {
  contextual::KernelOptions<void(const Tile&)> counted;
  counted.work = [] { return contextual::KernelWork{.flops = 8e6, .bytes = 1e6}; };
  contextual::TunableKernel kernel{"tuner_rates", blocks(), contextual::single_problem, [](const Tile&) {},
                                   counted};
  ContextualAutotuner tuner(quick());
  tuner.run("tuner rates", [&] { kernel(); });
  const contextual::ConfigReport best = tuner.report().runs.back().problems.at(0).configs.at(2);
  CHECK(best.metrics.teraflops_per_second == 1.0);  // 8e6 in 8 us
  contextual::KernelTunerOptions options{.warmup_runs = 1, .benchmark_runs = 1};
  options.tuning = quick();
  options.work = [](const contextual::TuneRequest&) { return contextual::KernelWork{.bytes = 1e6}; };
  static_assert(std::is_same_v<decltype(&contextual::KernelTunerOptions::work),
                               decltype(options.work) contextual::KernelTunerOptions::*>);
  contextual::KernelTuner alone{"tuner_rates_alone", blocks(), [](const Tile&) {}, options};
  const contextual::TuningResult result = alone.tune({});
  CHECK(result.metrics.gigabytes_per_second == 125.0);
}
