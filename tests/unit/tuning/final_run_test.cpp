#include "support/engine.hpp"

namespace contextual::test::final_run_test {

namespace {

/// The later a config the faster it is; from the final run on some of them cannot be launched any more.
struct Late {
  explicit Late(const std::string& name) : one(name, 4, {}, options()) {
    one.in_launch = [this](const Block& config) {
      throw_if<ConfigRejected>(final_runs > 0 && broken.contains(config.block), "broken by now");
    };
  }
  Options options() {
    Options options = quick();
    options.before_iteration = [this](const IterationInfo& info) {
      final_runs += info.phase == Phase::final_run ? 1 : 0;
    };
    return options;
  }
  std::set<int> broken;
  int final_runs = 0;
  OneKernel one;
};

}  // namespace

TEST_CASE("holds 17: a clean final run is one run") {
  Late late("clean_final");
  CHECK(late.one.run() == 3);
  CHECK(late.final_runs == 1);
}

TEST_CASE("holds 17: what the final run rejects is replaced by the measured second best") {
  Late late("second_best");
  late.broken = {3};
  late.one.run();
  CHECK(late.final_runs == 2);
  CHECK(late.one.problem().choice == 2);
  CHECK(late.one.problem().outcome == ProblemOutcome::locked_in);
  CHECK(late.one.kernel() == 2);  // the choice that failed is not locked in
}

TEST_CASE("holds 17: the final run is repeated three times at most") {
  // Each final run meets one more config that fails, although its fallback worked a moment ago.
  int next = 5;
  bool final_run = false;
  int final_runs = 0;
  Options options = quick();
  options.before_iteration = [&](const IterationInfo& info) {
    next -= final_run ? 1 : 0;
    final_run = info.phase == Phase::final_run;
    final_runs += final_run ? 1 : 0;
  };
  const ProblemReport problem = tune_alone("three_times", 6, options, [&](const Block& config) {
    throw_if<ConfigRejected>(final_run && config.block == next, "broken by now");
  });
  CHECK(final_runs == 4);  // the first, and three more
  CHECK(problem.outcome == ProblemOutcome::provisional);
}

}  // namespace contextual::test::final_run_test
