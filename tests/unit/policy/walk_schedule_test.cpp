#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/schedule.hpp>
#include <contextual/testing/schedule_conformance.hpp>

#include <limits>
#include <vector>

namespace walk_schedule_test {

using contextual::Step;
using contextual::walk_schedule;

TEST_CASE("walk_schedule conforms to the contract of schedules", "[unit]") {
  CHECK(contextual::testing::check_schedule(walk_schedule) == std::vector<std::string>{});
}

TEST_CASE("walk_schedule plans config by config, warm-ups first", "[unit]") {
  const auto schedule = walk_schedule({2, {}, 1, 2});
  const std::vector<Step> expected = {{0, 0, true}, {0, 1, false}, {0, 2, false},
                                      {1, 0, true}, {1, 1, false}, {1, 2, false}};
  CHECK(schedule->plan(100) == expected);
  CHECK(schedule->plan(2).size() == 2);
  CHECK(schedule->remaining_steps() == 6);
}

TEST_CASE("walk_schedule passes over a default that is left out", "[unit]") {
  const auto schedule = walk_schedule({3, {true, false, true}, 1, 1});
  CHECK(schedule->remaining_steps() == 2);
  CHECK(schedule->plan(100) == std::vector<Step>{{1, 0, true}, {1, 1, false}});
  schedule->observe({{1, 0, true}, std::nullopt});
  CHECK(schedule->plan(1) == std::vector<Step>{{1, 1, false}});
  schedule->observe({{1, 1, false}, 10});
  CHECK(schedule->plan(1).empty());
  CHECK(schedule->remaining_steps() == 0);
}

TEST_CASE("walk_schedule passes over configs that are left out or rejected", "[unit]") {
  const auto schedule = walk_schedule({4, {false, true, false, false}, 1, 1});
  schedule->reject(3);
  schedule->reject(3);
  CHECK(schedule->plan(100) == std::vector<Step>{{0, 0, true}, {0, 1, false}, {2, 0, true}, {2, 1, false}});
  schedule->observe({{0, 0, true}, std::nullopt});
  schedule->reject(0);
  CHECK(schedule->plan(1) == std::vector<Step>{{2, 0, true}});
  CHECK(schedule->remaining_steps() == 2);
  schedule->reject(2);
  CHECK(schedule->plan(1).empty());
  CHECK(schedule->remaining_steps() == 0);
}

TEST_CASE("walk_schedule keeps a repeat without a time due", "[unit]") {
  const auto schedule = walk_schedule({1, {}, 1, 1});
  schedule->observe({{0, 0, true}, std::nullopt});
  schedule->observe({{0, 1, false}, std::nullopt});
  CHECK(schedule->plan(5) == std::vector<Step>{{0, 1, false}});
  schedule->observe({{0, 1, false}, 10});
  CHECK(schedule->plan(5).empty());
}

TEST_CASE("walk_schedule ignores what it is told of a step that is not due", "[unit]") {
  const auto schedule = walk_schedule({2, {}, 1, 1});
  schedule->observe({{1, 0, true}, std::nullopt});
  schedule->observe({{0, 1, false}, 10});
  CHECK(schedule->plan(1) == std::vector<Step>{{0, 0, true}});
  CHECK(schedule->remaining_steps() == 4);
}

TEST_CASE("walk_schedule refuses requests that make no sense", "[unit]") {
  CHECK_THROWS_AS(walk_schedule({0, {}, 1, 1}), contextual::InvalidArgument);
  CHECK_THROWS_AS(walk_schedule({2, {true}, 1, 1}), contextual::InvalidArgument);
  CHECK_THROWS_AS(walk_schedule({2, {true, true}, 1, 1}), contextual::InvalidArgument);
  CHECK_THROWS_AS(walk_schedule({2, {}, 0, 1}), contextual::InvalidArgument);
  CHECK_THROWS_AS(walk_schedule({2, {}, 1, 0}), contextual::InvalidArgument);
  constexpr int huge = std::numeric_limits<int>::max();
  CHECK_THROWS_AS(walk_schedule({2, {}, huge, 1}), contextual::InvalidArgument);
  CHECK_THROWS_AS(walk_schedule({2, {}, 1, huge}), contextual::InvalidArgument);
  CHECK(walk_schedule({2, {}, 1, huge - 1})->remaining_steps() == 2 * static_cast<std::size_t>(huge));
}

}  // namespace walk_schedule_test
