// section: `triton.autotune`
#include "docs/coming_from/coming_from.hpp"

#include <chrono>
#include <thread>
#include <vector>

using namespace coming_from;
using contextual::ContextualAutotuner;
using contextual::Options;

// row: `key=["M", "N"]`, names of arguments; the types of all arguments are added automatically
TEST_CASE("triton.autotune: the key names what matters", "[unit]") {
  const contextual::KernelOptions<void(const Tile&, const Gemm&)> options{.key_names = {"M", "N", "type"}};
  contextual::TunableKernel gemm{"triton_key", blocks(),
                                 [](const Gemm& a) { return contextual::make_key(a.m, a.n, a.type); },
                                 [](const Tile&, const Gemm&) {}, options};
  ContextualAutotuner tuner(quick());
  tuner.run("triton key", [&] { gemm(Gemm{.m = 4096, .n = 64, .type = Dtype::fp8}); });
  CHECK(tuner.report().runs.back().problems.at(0).key == "{M: 4096, N: 64, type: 1}");
}

// row: `prune_configs_by={"early_config_prune": f}`
TEST_CASE("triton.autotune: configs are left out for a launch, or from the space", "[unit]") {
  const contextual::KernelOptions<void(const Tile&, int)> options{
      .keep = [](const Tile& tile, int n) { return tile.block <= n; }};
  int last = 0;
  contextual::TunableKernel kernel{"triton_prune",
                                   contextual::ConfigSpace<Tile>(blocks()).constraint(
                                       "fits", [](const Tile& tile) { return tile.block < 256; }),
                                   [](int n) { return contextual::make_key(n); },
                                   [&](const Tile& tile, int) { last = tile.block; }, options};
  CHECK(kernel.space().size() == 2);
  ContextualAutotuner tuner(quick());
  tuner.run("triton prune", [&] { kernel(100); });
  CHECK(last == 64);
}

// row: `reset_to_zero`, `restore_value`
TEST_CASE("triton.autotune: what is added to is restored before each run, or reset between configs",
          "[unit]") {
  int resets = 0;
  const contextual::KernelOptions<void(const Tile&, std::vector<float>&)> kernel_options{
      .reset = [&](std::vector<float>&) { ++resets; }};
  contextual::TunableKernel kernel{
      "triton_reset", blocks(),
      [](const std::vector<float>& sums) { return contextual::make_key(sums.size()); },
      [](const Tile&, std::vector<float>& sums) { sums[0] += 1; }, kernel_options};
  std::vector<float> sums(1);
  Options options = quick();
  options.restore = std::vector{contextual::restored("sums", sums.data(), sums.size())};
  ContextualAutotuner tuner(options);
  tuner.run("triton reset", [&] { kernel(sums); });
  CHECK(sums[0] == 1);
  CHECK(resets >= 2);  // one for each config after the first one
}

// row: `pre_hook`, `post_hook`
TEST_CASE("triton.autotune: hooks are called around launches and around runs of the region", "[unit]") {
  int before = 0;
  int after = 0;
  const contextual::KernelOptions<void(const Tile&, std::vector<float>&)> kernel_options{
      .before_launch = [&](const contextual::LaunchInfo&, std::vector<float>&) { ++before; },
      .after_launch = [&](const contextual::LaunchInfo&, std::vector<float>&) { ++after; }};
  contextual::TunableKernel kernel{
      "triton_hooks", blocks(),
      [](const std::vector<float>& sums) { return contextual::make_key(sums.size()); },
      [](const Tile&, std::vector<float>& sums) { sums[0] += 1; }, kernel_options};
  int runs_before = 0;
  int runs_after = 0;
  Options options = quick();
  options.before_iteration = [&](const contextual::IterationInfo&) { ++runs_before; };
  options.after_iteration = [&](const contextual::IterationInfo&) { ++runs_after; };
  std::vector<float> sums(1);
  ContextualAutotuner tuner(options);
  tuner.run("triton hooks", [&] { kernel(sums); });
  CHECK(before > 0);
  CHECK(after == before);
  CHECK(runs_before > 0);
  CHECK(runs_after == runs_before);
}

// row: `warmup`, `rep` in ms, deprecated
TEST_CASE("triton.autotune: counts of runs, and a timer", "[unit]") {
  Options options;
  options.n_warmup = 2;
  options.n_repeat = 3;
  options.timer = contextual::testing::scripted_timer([](const contextual::LaunchInfo&) { return 1'000; });
  options.cache_directory = "";
  options.log_directory = "";
  options.search = contextual::SearchLevel::off;
  contextual::TunableKernel kernel{"triton_counts", blocks(), contextual::single_problem, [](const Tile&) {}};
  ContextualAutotuner tuner(options);
  tuner.run("triton counts", [&] { kernel(); });
  CHECK(tuner.report().runs.back().walk_iterations == 3 * (2 + 3));
}

// row: `cache_results`, `TRITON_CACHE_AUTOTUNING`
TEST_CASE("triton.autotune: results are kept in a directory", "[unit]") {
  const engine_test::TemporaryDirectory directory;
  Options options = quick();
  options.cache_directory = directory.path();
  contextual::TunableKernel kernel{"triton_cached", blocks(), contextual::single_problem, [](const Tile&) {}};
  ContextualAutotuner tuner(options);
  tuner.run("triton cached", [&] { kernel(); });
  CHECK(contextual::KeptChoices(directory.path()).list().sets.size() == 1);
}

// row: `kernel.best_config`, a listener
TEST_CASE("triton.autotune: the report has the best config, and progress is told", "[unit]") {
  int told = 0;
  Options options = quick();
  options.progress = [&](const contextual::Progress& progress) {
    told += progress.region == "triton best" ? 1 : 0;
  };
  contextual::TunableKernel kernel{"triton_best", blocks(), contextual::single_problem, [](const Tile&) {}};
  ContextualAutotuner tuner(options);
  tuner.run("triton best", [&] { kernel(); });
  CHECK(tuner.report().runs.back().problems.at(0).choice_config == contextual::Config{{"BLOCK", 256}});
  CHECK(told > 0);
}

// row: each kernel tuned by itself
TEST_CASE("triton.autotune: own times decide alone", "[unit]") {
  Options options = quick();
  options.search = contextual::SearchLevel::off;
  contextual::TunableKernel kernel{"triton_alone", blocks(), contextual::single_problem, [](const Tile&) {}};
  ContextualAutotuner tuner(options);
  tuner.run("triton alone", [&] { kernel(); });
  CHECK(tuner.report("triton alone").searches.empty());
  CHECK(tuner.report("triton alone").problems.at(0).choice == 2);
}

// row: `triton.testing.do_bench(fn, warmup=25, rep=100)`, in milliseconds
TEST_CASE("triton.autotune: do_bench times a function", "[unit]") {
  int runs = 0;
  using namespace std::chrono_literals;
  const contextual::BenchResult by_count = contextual::do_bench([&] { ++runs; }, {.warmup = 2, .repeat = 5});
  CHECK(runs >= 7);
  CHECK(by_count.samples.size() == 5);
  const auto nap = [] { std::this_thread::sleep_for(1ms); };
  CHECK(contextual::do_bench(nap, {.warmup = 1ms, .repeat = 3ms}).samples.size() <= 4);
}
