// section: `contextual_autotune` of Triton-distributed
#include "docs/coming_from/coming_from.hpp"

using namespace coming_from;
using contextual::ContextualAutotuner;
using contextual::Options;

// row: `@contextual_autotune(is_dist=..., n_repeat=5, n_warmup=3)` on a function
TEST_CASE("contextual_autotune: both names wrap a region, and run runs one once", "[unit]") {
  int runs = 0;
  contextual::TunableKernel kernel{"from_decorated", blocks(), [](int n) { return contextual::make_key(n); },
                                   [&](const Tile&, int) { ++runs; }};
  ContextualAutotuner tuner(quick());
  const auto callable = [&](int n) {
    kernel(n);
    return n;
  };
  auto step = contextual::make_tuned_region(tuner, "from decorated", callable);
  auto same = contextual::contextual_autotune(tuner, "from decorated too", callable);
  CHECK(step(3) == 3);
  CHECK(same(4) == 4);
  CHECK(tuner.run("from called", [&] { return callable(5); }) == 5);
  runs = 0;
  step(3);
  same(4);
  CHECK(runs == 2);
}

// row: `n_warmup=3`, `n_repeat=5`
TEST_CASE("contextual_autotune: warm-ups and repeats are the same, and the defaults", "[unit]") {
  const auto iterations_with = [](const Options& options) {
    contextual::TunableKernel kernel{"from_counts", blocks(), contextual::single_problem, [](const Tile&) {}};
    Options all = quick();
    all.n_warmup = options.n_warmup;
    all.n_repeat = options.n_repeat;
    all.always_tune = true;
    ContextualAutotuner tuner(all);
    tuner.run("from counts", [&] { kernel(); });
    return tuner.report().runs.back().walk_iterations;
  };
  const auto iterations = iterations_with(Options{.n_warmup = 3, .n_repeat = 5});
  CHECK(iterations == 3 * (3 + 5));
  CHECK(iterations_with(Options{}) == iterations);
}

// row: `triton.Config({...}, num_warps=..., num_stages=...)`
TEST_CASE("contextual_autotune: a config is names and values, or a struct", "[unit]") {
  const contextual::Config config{{"BLOCK", 128}, {"num_warps", 4}, {"num_stages", 3}};
  CHECK(config.to_string() == "{BLOCK: 128, num_warps: 4, num_stages: 3}");
  CHECK(blocks()[1].block == 128);
}

// row: where a config fails with one of Triton's errors, the same launch uses the next config, and is skipped
// if there is none; after any other error the function runs again
TEST_CASE("contextual_autotune: a rejected config is out, and the same launch is done with another",
          "[unit]") {
  int asked = 0;
  int done = 0;
  int last = 0;
  contextual::TunableKernel kernel{"from_rejected", blocks(), contextual::single_problem,
                                   [&](const Tile& tile) {
                                     if (tile.block == 256) {
                                       throw contextual::ConfigRejected("too much shared memory");
                                     }
                                     ++done;
                                     last = tile.block;
                                   }};
  ContextualAutotuner tuner(quick());
  tuner.run("from rejected", [&] {
    ++asked;
    kernel();
  });
  CHECK(done == asked);
  CHECK(last == 128);
}
