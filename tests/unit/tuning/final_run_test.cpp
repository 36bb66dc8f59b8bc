#include "support/engine.hpp"

#include <set>
#include <string>
#include <vector>

namespace final_run_test {

using namespace contextual;
using namespace engine_test;

namespace {

/// A region whose kernel has four configs, the later the faster; from the final run on some of them cannot be
/// launched any more.
struct Late {
  explicit Late(std::string name)
      : kernel(std::move(name), blocks(4), single_problem, [this](const Block& config) {
          if (final_run && broken.contains(config.block)) {
            throw ConfigRejected("broken by now");
          }
          launched = config.block;
        }) {}
  Options options() {
    Options options = quick();
    options.before_iteration = [this](const IterationInfo& info) {
      final_run = info.phase == Phase::final_run;
      final_runs += final_run ? 1 : 0;
    };
    return options;
  }
  std::set<int> broken;
  bool final_run = false;
  int final_runs = 0;
  int launched = -1;
  TunableKernel<void(const Block&)> kernel;
};

}  // namespace

TEST_CASE("holds 17: a clean final run is one run", "[unit]") {
  Late late("clean_final");
  ContextualAutotuner tuner{late.options()};
  tuner.run("clean_final", [&] { late.kernel(); });
  CHECK(late.final_runs == 1);
  CHECK(late.launched == 3);
}

TEST_CASE("holds 17: what the final run rejects is replaced by the measured second best", "[unit]") {
  Late late("second_best");
  late.broken = {3};
  ContextualAutotuner tuner{late.options()};
  tuner.run("second_best", [&] { late.kernel(); });
  CHECK(late.final_runs == 2);
  CHECK(problem_of(tuner, "second_best", "second_best").choice == 2);
  CHECK(problem_of(tuner, "second_best", "second_best").outcome == ProblemOutcome::locked_in);
  late.launched = -1;
  REQUIRE_NOTHROW(late.kernel());  // the choice that failed is not locked in
  CHECK(late.launched == 2);
}

TEST_CASE("holds 17: the final run is repeated three times at most", "[unit]") {
  // Each final run meets one more config that fails, although its fallback worked a moment ago.
  int next = 5;
  bool final_run = false;
  int final_runs = 0;
  TunableKernel kernel{"three_times", blocks(6), single_problem, [&](const Block& config) {
                         if (final_run && config.block == next) {
                           throw ConfigRejected("broken by now");
                         }
                       }};
  Options options = quick();
  options.before_iteration = [&](const IterationInfo& info) {
    next -= final_run ? 1 : 0;
    final_run = info.phase == Phase::final_run;
    final_runs += final_run ? 1 : 0;
  };
  ContextualAutotuner tuner{options};
  tuner.run("three_times", [&] { kernel(); });
  CHECK(final_runs == 4);  // the first, and three more
  CHECK(problem_of(tuner, "three_times", "three_times").outcome == ProblemOutcome::provisional);
}

}  // namespace final_run_test
