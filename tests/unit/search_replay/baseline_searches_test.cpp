#include "search/coordinate_descent.hpp"
#include "search/exhaustive_search.hpp"
#include "search/random_assignments.hpp"
#include "search/replay_search.hpp"
#include "support/catch.hpp"
#include "unit/search_replay/scripted_region.hpp"

#include <contextual/testing/search_conformance.hpp>

namespace baseline_searches_test {

using search_replay::Assignment;
using search_replay::CoordinateDescent;
using search_replay::ExhaustiveSearch;
using search_replay::RandomAssignments;
using search_replay::replay_search;
using search_replay::search_request_of;
using search_replay::test::ScriptedRegion;

namespace {

/// 8 by 6 configs with the best at {5, 3}; the defaults, and everything else on the diagonal, are infeasible.
ScriptedRegion valley() {
  return {{8, 6},
          [](const Assignment& a) -> std::optional<double> {
            if (a[0] == a[1]) {
              return std::nullopt;
            }
            const auto square = [](double x) { return x * x; };
            return 1000 + 50 * square(static_cast<double>(a[0]) - 5) +
                   50 * square(static_cast<double>(a[1]) - 3);
          },
          1000};
}

template <typename SearchType>
void check_finds_the_best(std::int64_t max_runs) {
  ScriptedRegion region = valley();
  SearchType search(search_request_of(region, max_runs, 1));
  const auto replay = replay_search(search, region, max_runs);
  CHECK(replay.regret == 0);
  CHECK(replay.runs <= max_runs);
  CHECK(replay.runs >= max_runs * 9 / 10);
}

template <typename SearchType>
void check_all_infeasible() {
  ScriptedRegion region(
      {3, 2}, [](const Assignment&) { return std::nullopt; }, 1);
  SearchType search(search_request_of(region, 100, 1));
  CHECK(replay_search(search, region, 100).runs == 6);
  CHECK(search.plan().empty());
  CHECK(search.remaining_runs() == 0);
  CHECK_FALSE(search.best());
}

template <typename SearchType>
void check_rejection() {
  ScriptedRegion region = valley();
  SearchType search(search_request_of(region, 400, 1));
  search.reject(0, 5);
  replay_search(search, region, 400);
  for (const auto& batch : region.batches) {
    for (const Assignment& assignment : batch) {
      CHECK(assignment[0] != 5);
    }
  }
  REQUIRE(search.best());
  CHECK(search.best()->at(1) == 3);
}

template <typename SearchType>
std::vector<std::string> violations() {
  return contextual::testing::check_search(
      [](const contextual::SearchRequest& request) { return std::make_unique<SearchType>(request); });
}

}  // namespace

TEST_CASE("a baseline keeps the contract of a search") {
  CHECK(violations<CoordinateDescent>() == std::vector<std::string>{});
  CHECK(violations<RandomAssignments>() == std::vector<std::string>{});
  CHECK(violations<ExhaustiveSearch>() == std::vector<std::string>{});
}

TEST_CASE("a baseline finds the best assignment where there is no noise and enough runs") {
  check_finds_the_best<CoordinateDescent>(250);
  check_finds_the_best<RandomAssignments>(400);
  check_finds_the_best<ExhaustiveSearch>(200);
}

TEST_CASE("a baseline ends without a choice where everything is infeasible") {
  check_all_infeasible<CoordinateDescent>();
  check_all_infeasible<RandomAssignments>();
  check_all_infeasible<ExhaustiveSearch>();
}

TEST_CASE("a baseline does not plan a rejected config") {
  check_rejection<CoordinateDescent>();
  check_rejection<RandomAssignments>();
  check_rejection<ExhaustiveSearch>();
}

}  // namespace baseline_searches_test
