/// \file
/// What is launched outside of tuning, and regions that tune at their first call.

#include "support/engine.hpp"

namespace contextual::test::wrapped_region_test {

namespace {

/// In each region another config is the fastest: the one whose number the region's name ends with.
TimerFactory best_by_region() {
  return times([](const LaunchInfo& launch) {
    const auto best = static_cast<std::size_t>(launch.region.back() - '0');
    return launch.config_id == best ? 1'000 : 2'000;
  });
}

}  // namespace

TEST_CASE("holds 11: outside of a region a kernel launches its default before anything is locked in") {
  CHECK(OneKernel("holds_11_default").kernel() == 0);
}

TEST_CASE("holds 11: a wrapped region's later call uses the region's choice, others the last lock-in") {
  TunableKernel kernel{"holds_11", blocks(3), [](int n) { return make_key(n); },
                       [](const Block& c, int) { return c.block; }};
  ContextualAutotuner tuner{quick(best_by_region())};
  auto one = make_tuned_region(tuner, "holds_11_region_1", [&] { return kernel(8); });
  auto two = make_tuned_region(tuner, "holds_11_region_2", [&] { return kernel(8); });
  CHECK(one() == 1);
  CHECK(two() == 2);
  CHECK(one() == 1);
  CHECK(two() == 2);
  CHECK(kernel(8) == 2);     // the last lock-in of this key
  CHECK(kernel(4096) == 0);  // of this key there is none
}

TEST_CASE("holds 11: a choice locked in for a key holds for a kernel made anew") {
  const auto make = [] {
    return std::make_unique<TunableKernel<int(const Block&)>>("holds_11_anew", blocks(3), single_problem,
                                                              [](const Block& c) { return c.block; });
  };
  auto kernel = make();
  ContextualAutotuner tuner{quick()};
  tuner.run("holds_11_anew", [&] { (*kernel)(); });
  kernel.reset();
  kernel = make();
  CHECK((*kernel)() == 2);
}

TEST_CASE("wrapped region: the first call tunes, later calls run the region exactly once") {
  OneKernel one("wrapped");
  auto step = make_tuned_region(one.tuner, "wrapped", [&](int& input) {
    ++input;
    return one.region();
  });
  int input = 0;
  CHECK(step(input) == 2);
  CHECK(one.runs == 7);
  CHECK(input == 7);
  CHECK(step(input) == 2);
  CHECK(step(input) == 2);
  CHECK(one.runs == 9);
  CHECK(one.tuner.report().runs.size() == 1);
}

TEST_CASE("wrapped region: a new key tunes only what is new") {
  std::vector<int> known;
  std::vector<int> fresh;
  TunableKernel kernel{"wrapped_new_key", blocks(3), [](int n) { return make_key(n); },
                       [&](const Block& c, int n) { (n == 1 ? known : fresh).push_back(c.block); }};
  ContextualAutotuner tuner{quick()};
  auto step = contextual_autotune(tuner, "wrapped_new_key", [&](int n) {
    kernel(1);
    kernel(n);
  });
  step(1);
  known.clear();
  step(2);
  CHECK(known == std::vector<int>(8, 2));
  // The call that met it used the default; then the walk, and the final run.
  CHECK(fresh == std::vector<int>{0, 0, 0, 1, 1, 2, 2, 2});
  CHECK(problem_of(tuner, "wrapped_new_key", "wrapped_new_key", "(1)").reused);
  CHECK_FALSE(problem_of(tuner, "wrapped_new_key", "wrapped_new_key", "(2)").reused);
  fresh.clear();
  step(2);
  CHECK(fresh == std::vector<int>{2});
}

TEST_CASE("wrapped region: after an error in the first call the next call tunes") {
  OneKernel one("wrapped_error", 2);
  bool fail = true;
  auto step = make_tuned_region(one.tuner, "wrapped_error", [&] {
    throw_if<std::runtime_error>(fail, "not yet");
    return one.region();
  });
  for (int time = 0; time < 2; ++time) {
    fail = true;
    CHECK_THROWS_AS(step(), std::runtime_error);
    fail = false;
    CHECK(step() == 1);
  }
  CHECK(one.kernel() == 1);  // the region's context is gone from this thread
}

TEST_CASE("holds 19: run: a second run of a region uses what is locked in and runs it once") {
  OneKernel one("second_run");
  one.run();
  one.runs = 0;
  CHECK(one.run() == 2);
  CHECK(one.runs == 1);
  CHECK(one.tuner.report().runs.size() == 1);
}

TEST_CASE("run: what a lower search has locked in is tuned on, in this process, too") {
  OneKernel one("run_levels", 4);
  ContextualAutotuner other{quick()};
  int runs = 0;
  const auto region = [&] {
    ++runs;
    return one.kernel();
  };
  auto step = make_tuned_region(one.tuner, "run_levels", region);
  const auto runs_of = [&](const std::function<void(const Options&)>& call, SearchLevel level) {
    runs = 0;
    Options options{.search = level};
    options.search_settings.closing_rounds = 0;
    call(options);
    return runs;
  };
  const auto run = [&](const Options& options) { one.tuner.run("run_levels", region, options); };
  const auto run_other = [&](const Options& options) { other.run("run_levels", region, options); };
  CHECK(runs_of(run, SearchLevel::off) > 4);
  CHECK(runs_of(run, SearchLevel::off) == 1);
  CHECK(runs_of(run, SearchLevel::quick) > 4);
  CHECK(runs_of(run, SearchLevel::off) == 1);
  CHECK(runs_of(run, SearchLevel::quick) == 1);
  CHECK(runs_of(run_other, SearchLevel::quick) <= 2);
  CHECK(runs_of(run_other, SearchLevel::normal) > 4);
  CHECK(runs_of(run, SearchLevel::normal) <= 2);
  runs = 0;
  step();
  step();
  CHECK(runs <= 3);
  CHECK(runs_of([&](const Options& options) { step.with(options); }, SearchLevel::normal) == 1);
  CHECK(runs_of([&](const Options& options) { step.with(options); }, SearchLevel::thorough) > 4);
  CHECK(runs_of(run, SearchLevel::thorough) == 1);
}

TEST_CASE("wrapped region: a region inside it is part of it in the first and in later calls") {
  TunableKernel kernel{"wrapped_nested", blocks(3), single_problem, [](const Block& c) { return c.block; }};
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  auto inner = make_tuned_region(tuner, "wrapped_inner", [&] {
    ++runs;
    return kernel();
  });
  auto outer = make_tuned_region(tuner, "wrapped_outer", [&] {
    return inner() + 10 * tuner.run("wrapped_run", [&] { return kernel(); });
  });
  CHECK(outer() == 22);
  CHECK(runs == 7);
  CHECK(outer() == 22);
  CHECK(runs == 8);
  CHECK_FALSE(LaunchRegistry::instance().locked_in("wrapped_inner", "wrapped_nested", Key{}));
  CHECK(inner() == 2);  // on its own it is a region of its own
  CHECK(LaunchRegistry::instance().locked_in("wrapped_inner", "wrapped_nested", Key{}) == 2);
}

}  // namespace contextual::test::wrapped_region_test
