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
  OneKernel one("holds_6_launcher");
  one.in_launch = [](const Block& c) {
    if (c.block == 1) {
      throw Odd{5};
    }
  };
  CHECK_THROWS_AS(one.run(), Odd);
}

TEST_CASE("a tuner and a region are used again after tuning failed", "[unit]") {
  OneKernel one("again_after_failure", 2);
  one.in_launch = [](const Block&) { throw ConfigRejected("driver is away"); };
  CHECK_THROWS_AS(one.run(), TuningFailedError);
  one.in_launch = [](const Block&) {};
  CHECK(one.run() == 1);
}

}  // namespace throwing_region_test
