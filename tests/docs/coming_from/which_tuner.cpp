// section: Which tuner when
#include "docs/coming_from/coming_from.hpp"

using namespace coming_from;
using contextual::ContextualAutotuner;
using contextual::make_key;
using contextual::Options;

// row: a step of kernels, streams and ranks that may be repeated
TEST_CASE("which tuner: run tunes all kernels of a step", "[unit]") {
  int first = 0;
  int second = 0;
  contextual::TunableKernel one{"which_one", blocks(), contextual::single_problem,
                                [&](const Tile& tile) { first = tile.block; }};
  contextual::TunableKernel two{"which_two", blocks(), contextual::single_problem,
                                [&](const Tile& tile) { second = tile.block; }};
  ContextualAutotuner tuner(quick());
  tuner.run("which step", [&] {
    one();
    two();
  });
  CHECK(first == 256);
  CHECK(second == 256);
}

// row: a step that the program calls again and again
TEST_CASE("which tuner: the first call of a wrapped region tunes, and a new key tunes again", "[unit]") {
  int runs = 0;
  contextual::TunableKernel kernel{"which_wrapped", blocks(), [](int n) { return make_key(n); },
                                   [&](const Tile&, int) { ++runs; }};
  ContextualAutotuner tuner(quick());
  auto step = contextual::make_tuned_region(tuner, "which wrapped", [&](int n) { kernel(n); });
  const auto runs_of = [&](int n) {
    runs = 0;
    step(n);
    return runs;
  };
  CHECK(runs_of(1) > 1);
  CHECK(runs_of(1) == 1);
  CHECK(runs_of(2) > 1);
  CHECK(runs_of(2) == 1);
}

// row: one function or library call, alone on its stream
TEST_CASE("which tuner: autotune makes a function tune itself", "[unit]") {
  int runs = 0;
  contextual::FunctionOptions<int(const Tile&, int)> options;
  options.options = quick();
  auto tuned = contextual::autotune(
      "which_function", blocks(), [](int n) { return make_key(n); },
      [&](const Tile& tile, int) {
        ++runs;
        return tile.block;
      },
      options);
  CHECK(tuned(1) == 256);
  CHECK(runs > 1);
  runs = 0;
  CHECK(tuned(1) == 256);
  CHECK(runs == 1);
}

// row: one kernel, and you want all of its results
TEST_CASE("which tuner: a kernel tuner returns the results of all configs", "[unit]") {
  contextual::KernelTunerOptions options{.warmup_runs = 1, .benchmark_runs = 1};
  options.tuning = quick();
  contextual::KernelTuner tuner{"which_kernel", blocks(), [](const Tile&, int) {}, options};
  const contextual::TuningResult result = tuner.tune({.problem_size = {4096}}, 4096);
  CHECK(result.all_results.size() == 3);
}

// row: a function to be timed, and not tuned
TEST_CASE("which tuner: do_bench times a function", "[unit]") {
  int runs = 0;
  const contextual::BenchResult result = contextual::do_bench([&] { ++runs; }, {.warmup = 1, .repeat = 3});
  CHECK(runs >= 4);
  CHECK_FALSE(result.samples.empty());
}

// row: shapes that differ in nearly every call, such as a batch size
TEST_CASE("which tuner: sizes of one bucket are tuned once", "[unit]") {
  int runs = 0;
  contextual::TunableKernel kernel{
      "which_bucket", blocks(),
      [](int m, int n) { return contextual::make_key(contextual::bucket(m), contextual::bucket(m, 512), n); },
      [&](const Tile&, int, int) { ++runs; }};
  ContextualAutotuner tuner(quick());
  int m = 1025;
  auto step = contextual::make_tuned_region(tuner, "which bucket", [&] { kernel(m, 64); });
  step();
  const int tuned = runs;
  m = 1536;
  step();
  CHECK(runs == tuned + 1);
}

// row: implementations that launch different kernels
TEST_CASE("which tuner: alternatives are chosen after their kernels", "[unit]") {
  int fused_block = 0;
  contextual::TunableKernel fused{"which_fused", blocks(), contextual::single_problem,
                                  [&](const Tile& tile) { fused_block = tile.block; }};
  contextual::Alternatives<void()> attention("which attention", contextual::single_problem,
                                             {{"fused", [&] { fused(); }}, {"separate", [] {}}});
  ContextualAutotuner tuner(quick());
  tuner.run("which layer", [&] { attention(); });
  CHECK(tuner.report().runs.back().problems.size() == 2);
  CHECK(fused_block != 0);
}

// row: a job that must not tune, after another one has tuned
TEST_CASE("which tuner: mode use runs the region once, and load only reads", "[unit]") {
  int runs = 0;
  contextual::TunableKernel kernel{"which_used", blocks(), contextual::single_problem,
                                   [&](const Tile&) { ++runs; }};
  ContextualAutotuner tuner(quick());
  tuner.run(
      "which used", [&] { kernel(); }, Options{.mode = contextual::Mode::use});
  CHECK(runs == 1);
  CHECK_FALSE(tuner.load("which used"));  // nothing is kept
}

// row: a config that you know to be right
TEST_CASE("which tuner: a pinned config is launched, and nothing is tuned", "[unit]") {
  const engine_test::TemporaryDirectory directory;
  contextual::PinnedConfig pinned;
  pinned.region = "which pinned";
  pinned.kernel = "which_pinned";
  pinned.config = contextual::Config{{"BLOCK", 128}};
  CHECK(contextual::KeptChoices(directory.path()).pin(pinned).problems.empty());
  int runs = 0;
  int last = 0;
  contextual::TunableKernel kernel{"which_pinned", blocks(), contextual::single_problem,
                                   [&](const Tile& tile) { ++runs, last = tile.block; }};
  Options options = quick();
  options.cache_directory = directory.path();
  ContextualAutotuner tuner(options);
  tuner.run("which pinned", [&] { kernel(); });
  CHECK(runs == 1);
  CHECK(last == 128);
}
