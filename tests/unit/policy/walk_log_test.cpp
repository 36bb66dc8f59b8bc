#include "contextual/policy/walk_log.hpp"

#include "support/catch.hpp"

namespace contextual::policy::walk_log_test {

namespace {

IterationOutcome outcome(std::int64_t makespan_ns, const std::vector<std::int64_t>& times_ns) {
  IterationOutcome outcome;
  for (const std::int64_t time_ns : times_ns) {
    outcome.cells.push_back({true, time_ns});
  }
  outcome.makespan_ns = makespan_ns;
  return outcome;
}

}  // namespace

TEST_CASE("WalkLog: samples of the members beside what the other problems use") {
  WalkLog log;
  log.add({1, 0, 2}, outcome(100, {10, 20, 30}));
  log.add({1, 0, 2}, outcome(110, {11, 21, 31}));
  log.add({1, 4, 2}, outcome(90, {12, 22, 32}));  // problem 1 uses another config than in the search
  log.add({0, 0, 1}, outcome(120, {13, 23, 33}));
  const std::vector<SearchSample> samples = log.samples_of({0, 2}, {1, 0, 2});
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].assignment == Assignment{1, 2});
  REQUIRE(samples[0].runs.size() == 2);
  CHECK(samples[0].runs[1].makespan_ns == 110);
  CHECK(samples[0].runs[1].times_ns == std::vector<std::optional<std::int64_t>>{11, 31});
  CHECK(samples[1].assignment == Assignment{0, 1});
  log.drop({1, 0, 2});
  CHECK(log.samples_of({0, 2}, {1, 0, 2}).size() == 1);
  log.clear();
  CHECK(log.samples_of({0, 2}, {1, 0, 2}).empty());
}

TEST_CASE("WalkLog: an assignment is measured as soon as one of its runs has a makespan") {
  WalkLog log;
  IterationOutcome untimed = outcome(100, {10});
  untimed.makespan_ns.reset();
  log.add({1}, untimed);
  CHECK_FALSE(log.has_measured({1}));
  log.add({1}, outcome(100, {10}));
  CHECK(log.has_measured({1}));
  CHECK_FALSE(log.has_measured({0}));
}

TEST_CASE("WalkLog: only a region that succeeds without any makespan lacks them") {
  WalkLog log;
  CHECK_FALSE(log.lacks_makespans());
  IterationOutcome failed;
  failed.infeasible = "stuck";
  log.note(failed);
  CHECK_FALSE(log.lacks_makespans());
  log.note(IterationOutcome{});
  CHECK(log.lacks_makespans());
  log.note(outcome(100, {10}));
  CHECK_FALSE(log.lacks_makespans());
}

}  // namespace contextual::policy::walk_log_test
