#include "contextual/policy/race_schedule.hpp"

#include "support/catch.hpp"

#include <contextual/testing/schedule_conformance.hpp>

#include <functional>
#include <map>
#include <vector>

namespace race_schedule_test {

using contextual::Schedule;
using contextual::Step;
using contextual::policy::race_schedule;

namespace {

/// Returns how often each config was sampled.
std::map<std::size_t, int> race(std::size_t configs, int n_repeat,
                                const std::function<std::int64_t(const Step&)>& time_ns) {
  const std::unique_ptr<Schedule> schedule = race_schedule({configs, {}, 3, n_repeat});
  std::map<std::size_t, int> samples;
  for (int steps = 0; !schedule->plan(1).empty(); ++steps) {
    REQUIRE(steps < 1000);
    const Step step = schedule->plan(1).front();
    samples[step.config_id] += step.warmup ? 0 : 1;
    schedule->observe({step, time_ns(step)});
  }
  return samples;
}

}  // namespace

TEST_CASE("race_schedule conforms", "[unit]") {
  CHECK(contextual::testing::check_schedule(race_schedule) == std::vector<std::string>{});
}

TEST_CASE("race_schedule: what is surely slower drops out, and the race ends with one config", "[unit]") {
  const auto samples = race(3, 9, [](const Step& step) {
    return std::vector<std::int64_t>{200, 100, 300}[step.config_id] + step.iteration;
  });
  CHECK(samples == std::map<std::size_t, int>{{0, 2}, {1, 2}, {2, 2}});
}

TEST_CASE("race_schedule: configs that cannot be told apart get their samples", "[unit]") {
  const auto samples = race(3, 5, [](const Step& step) {
    return step.config_id == 2 ? std::int64_t{500} : 100 + std::int64_t{step.iteration} * 7 % 5;
  });
  CHECK(samples.at(0) == 6);  // in visits of two
  CHECK(samples.at(1) == 6);
  CHECK(samples.at(2) == 2);
}

TEST_CASE("race_schedule: the first use in each visit is a warm-up", "[unit]") {
  const std::unique_ptr<Schedule> schedule = race_schedule({2, {}, 3, 4});
  const std::vector<Step> steps = schedule->plan(10);
  REQUIRE(steps.size() == 6);  // what comes after the first round depends on it
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CHECK(steps[i].warmup == (i % 3 == 0));
    CHECK(steps[i].config_id == i / 3);
  }
}

TEST_CASE("race_schedule: the remaining steps are those to come if nothing drops out", "[unit]") {
  const std::unique_ptr<Schedule> schedule = race_schedule({3, {}, 3, 5});
  std::vector<std::size_t> remaining;
  while (!schedule->plan(1).empty()) {
    REQUIRE(remaining.size() < 100);
    remaining.push_back(schedule->remaining_steps());
    schedule->observe({schedule->plan(1).front(), 100});
  }
  CHECK(remaining.size() == 3 * 3 * 3);  // three rounds of three visits of three uses
  for (std::size_t i = 0; i < remaining.size(); ++i) {
    CHECK(remaining[i] == remaining.size() - i);
  }
}

TEST_CASE("race_schedule: the race ends as soon as all that are left have their samples", "[unit]") {
  const auto samples = race(2, 4, [](const Step&) { return std::int64_t{100}; });
  CHECK(samples == std::map<std::size_t, int>{{0, 4}, {1, 4}});
}

TEST_CASE("race_schedule: of two with the same median the first one leads", "[unit]") {
  const auto samples = race(3, 4, [](const Step& step) {
    const std::int64_t spread = step.iteration % 2 == 0 ? -10 : 10;
    return std::vector<std::int64_t>{100, 100 + spread, 105}[step.config_id];
  });
  CHECK(samples.at(1) == 4);
  CHECK(samples.at(2) == 2);  // longer than the first one ever was, but not than the second one
}

}  // namespace race_schedule_test
