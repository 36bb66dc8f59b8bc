#include "contextual/policy/search/race.hpp"
#include "support/catch.hpp"
#include "unit/policy/search/scripted_table.hpp"

#include <algorithm>
#include <cstdint>

using contextual::Assignment;
using contextual::SearchObservation;
using contextual::policy::search::Belief;
using contextual::policy::search::Race;
using contextual::policy::search::SearchSpace;
using contextual::policy::search::TrialLedger;
using contextual::policy::search::test::request_of;

namespace {

/// One problem, whose configs have been visited as often as they have makespans.
class Visited {
 public:
  explicit Visited(const std::vector<std::vector<std::int64_t>>& makespans_ns)
      : space(request_of({makespans_ns.size()}, 100).problems) {
    for (std::size_t config = 0; config < makespans_ns.size(); ++config) {
      for (const std::int64_t makespan_ns : makespans_ns[config]) {
        SearchObservation observation{{{config}, 1}, {}, ""};
        observation.runs.push_back({makespan_ns * 11 / 10, {}});
        observation.runs.push_back({makespan_ns, {}});
        ledger.add(observation);
      }
    }
  }

  SearchSpace space;
  TrialLedger ledger;
};

}  // namespace

TEST_CASE("Race: two that may both be the best by more than the minimum gain are not decided", "[unit]") {
  const Visited visited({{100000}, {100300}});
  Belief belief(visited.space, visited.ledger, 1);
  Race race(belief, {0}, {});
  REQUIRE(race.finalists().size() == 2);
  CHECK_FALSE(race.decided(belief));
  CHECK(race.finalists().size() == 2);
}

TEST_CASE("Race: two between which nothing can be gained are decided, and both stay", "[unit]") {
  const Visited visited({{100000}, {100300}});
  Belief belief(visited.space, visited.ledger, 1);
  Race race(belief, {0}, {8, 0.5});
  CHECK(race.decided(belief));
  CHECK(race.finalists().size() == 2);
}

TEST_CASE("Race: only the first round visits what is hardly ever among the two shortest", "[unit]") {
  const Visited visited({{200000, 200000, 200000}, {100000, 100000}, {100200, 100200}});
  Belief belief(visited.space, visited.ledger, 1);
  Race race(belief, {0}, {});
  REQUIRE(race.finalists().size() == 3);
  std::vector<Assignment> first = race.next_round(belief);
  std::sort(first.begin(), first.end());
  CHECK(first == std::vector<Assignment>{{0}, {1}, {2}});
  for (int round = 0; round < 5; ++round) {
    const std::vector<Assignment> next = race.next_round(belief);
    CHECK(next.size() == 3);
    CHECK(std::count(next.begin(), next.end(), Assignment{0}) == 0);
  }
}

TEST_CASE("Race: a round visits the shortest of one draw and the second of the next", "[unit]") {
  const Visited visited({{200000, 200000, 200000}, {100000, 100000, 100000}});
  Belief belief(visited.space, visited.ledger, 1);
  Race race(belief, {0}, {});
  REQUIRE(race.finalists().size() == 2);
  race.next_round(belief);
  CHECK(race.next_round(belief) == std::vector<Assignment>{{1}, {0}});
}
