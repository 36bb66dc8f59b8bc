/// \file
/// Regions that throw, and tuners that are used again afterwards.

#include "support/engine.hpp"

#include <stdexcept>

namespace throwing_region_test {

using namespace contextual;
using namespace engine_test;

namespace {

struct Odd {  // of the user, no std::exception
  int value;
};

}  // namespace

TEST_CASE("holds 6: what the region throws comes through unchanged, type and value", "[unit]") {
  TunableKernel kernel{"holds_6", blocks(3), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  const auto throws_in_run = [&](int which, auto what) {
    return [&kernel, &runs, which, what] {
      kernel();
      if (++runs == which) {
        throw what;
      }
    };
  };
  for (const int which : {1, 2, 4}) {
    runs = 0;
    try {
      tuner.run("holds_6", throws_in_run(which, Odd{77}), {.always_tune = true});
      FAIL("no error");
    } catch (const Odd& odd) {
      CHECK(odd.value == 77);
      CHECK(runs == which);
    }
  }
  runs = 0;
  CHECK(error_text<std::out_of_range>([&] {
          tuner.run("holds_6", throws_in_run(7, std::out_of_range("in the final run")));
        }) == "in the final run");
}

TEST_CASE("holds 6: what a launcher throws, other than ConfigRejected, is the region's own error", "[unit]") {
  TunableKernel kernel{"holds_6_launcher", blocks(3), single_problem, [](const Block& c) {
                         if (c.block == 1) {
                           throw Odd{5};
                         }
                       }};
  ContextualAutotuner tuner{quick()};
  CHECK_THROWS_AS(tuner.run("holds_6_launcher", [&] { kernel(); }), Odd);
}

TEST_CASE("holds 6: after a region threw, lock-ins stay and the next run works", "[unit]") {
  TunableKernel small{"holds_6_small", blocks(2), single_problem, [](const Block&) {}};
  TunableKernel large{"holds_6_large", blocks(4), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  int throw_at = 6;
  const auto region = [&] {
    small();
    large();
    if (++runs == throw_at) {
      throw std::runtime_error("once");
    }
  };
  CHECK(error_text<std::runtime_error>([&] { tuner.run("holds_6_next", region); }) == "once");
  const LaunchRegistry& registry = LaunchRegistry::instance();
  CHECK(registry.locked_in("holds_6_next", "holds_6_small", Key{}) == 1);
  CHECK_FALSE(registry.locked_in("holds_6_next", "holds_6_large", Key{}));
  CHECK(tuner.report().runs.size() == 1);

  runs = 0;
  throw_at = 0;
  tuner.run("holds_6_next", region);
  CHECK(runs == 4 * 2 + 1);
  CHECK(problem_of(tuner, "holds_6_next", "holds_6_small").reused);
  CHECK(problem_of(tuner, "holds_6_next", "holds_6_small").choice == 1);
  CHECK(problem_of(tuner, "holds_6_next", "holds_6_large").choice == 3);
}

TEST_CASE("holds 6: an iteration hook that throws counts as thrown by the region", "[unit]") {
  TunableKernel kernel{"holds_6_hook", blocks(2), single_problem, [](const Block&) {}};
  Options options = quick();
  options.after_iteration = [](const IterationInfo& info) {
    if (info.tuning_iteration == 2) {
      throw Odd{3};
    }
  };
  ContextualAutotuner tuner{options};
  CHECK_THROWS_AS(tuner.run("holds_6_hook", [&] { kernel(); }), Odd);
}

TEST_CASE("a tuner and a region are used again after tuning failed", "[unit]") {
  bool broken = true;
  TunableKernel kernel{"again_after_failure", blocks(2), single_problem, [&](const Block&) {
                         if (broken) {
                           throw ConfigRejected("driver is away");
                         }
                       }};
  ContextualAutotuner tuner{quick()};
  CHECK_THROWS_AS(tuner.run("again_after_failure", [&] { kernel(); }), TuningFailedError);
  broken = false;
  tuner.run("again_after_failure", [&] { kernel(); });
  CHECK(problem_of(tuner, "again_after_failure", "again_after_failure").choice == 1);
}

}  // namespace throwing_region_test
