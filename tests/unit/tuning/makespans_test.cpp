#include "contextual/tuning/makespans.hpp"

#include "support/catch.hpp"

namespace contextual::tuning::makespans_test {

namespace {

using Makespans = std::vector<std::optional<std::int64_t>>;

/// A plan with one problem that uses these configs.
detail::BatchPlan plan_of(const std::vector<std::size_t>& configs) {
  detail::BatchPlan plan;
  for (const std::size_t config : configs) {
    policy::IterationPlan& iteration = plan.iterations.emplace_back();
    iteration.cells.push_back(
        {policy::Cell::Role::step, config, static_cast<int>(plan.phases.size()), false});
    plan.phases.push_back(Phase::walk);
  }
  return plan;
}

IterationTiming from_to(std::int64_t begin_ns, std::int64_t end_ns) {
  IterationTiming timing;
  timing.begin_ns = begin_ns;
  timing.end_ns = end_ns;
  timing.makespan_ns = end_ns - begin_ns;
  return timing;
}

}  // namespace

TEST_CASE("makespans: joined iterations have their own") {
  const std::vector<IterationTiming> timings{from_to(100, 150), from_to(0, 0), from_to(200, 230)};
  CHECK(makespans_of(plan_of({1, 1, 2}), timings, Iterations::joined) == Makespans{50, std::nullopt, 30});
}

TEST_CASE("makespans: pipelined iterations of one config share the time of the batch") {
  const std::vector<IterationTiming> timings{from_to(100, 180), from_to(120, 260), from_to(90, 240)};
  CHECK(makespans_of(plan_of({1, 1, 1}), timings, Iterations::pipelined) == Makespans{56, 56, 56});
}

TEST_CASE("makespans: pipelined iterations of different configs have none") {
  const std::vector<IterationTiming> timings{from_to(100, 150), from_to(120, 200)};
  CHECK(makespans_of(plan_of({1, 2}), timings, Iterations::pipelined) == Makespans(2));
}

TEST_CASE("makespans: pipelined iterations of which one is not known, or did not run, have none") {
  const std::vector<IterationTiming> timings{from_to(100, 150), from_to(0, 0)};
  CHECK(makespans_of(plan_of({1, 1}), timings, Iterations::pipelined) == Makespans(2));
  const std::vector<IterationTiming> one{from_to(100, 150)};
  CHECK(makespans_of(plan_of({1, 1}), one, Iterations::pipelined) == Makespans(2));
}

TEST_CASE("makespans: a timer that reports no extents is taken at its word") {
  IterationTiming timing;
  timing.makespan_ns = 70;
  const std::vector<IterationTiming> timings{timing, timing};
  CHECK(makespans_of(plan_of({1, 2}), timings, Iterations::pipelined) == Makespans{70, 70});
}

}  // namespace contextual::tuning::makespans_test
