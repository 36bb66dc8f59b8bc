#include "contextual/policy/search/race.hpp"

#include "support/catch.hpp"
#include "unit/policy/search/scripted_table.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

using contextual::Assignment;
using contextual::SearchObservation;
using contextual::policy::search::Belief;
using contextual::policy::search::Race;
using contextual::policy::search::SearchSpace;
using contextual::policy::search::TrialLedger;
using contextual::policy::search::test::request_of;

namespace {

/// A visit with one sample after its lead-in.
SearchObservation visit_of(Assignment assignment, std::int64_t lead_in_ns, std::int64_t sample_ns) {
  SearchObservation observation;
  observation.trial.assignment = std::move(assignment);
  for (const std::int64_t makespan_ns : {lead_in_ns, sample_ns}) {
    observation.runs.emplace_back().makespan_ns = makespan_ns;
  }
  return observation;
}

/// Two problems with three configs. {2, 2} takes half the time of the others, {1, 1} a little more than that.
class Fixture {
 public:
  Fixture() : space(request_of({3, 3}, 100).problems) {
    visit_all();
    belief.emplace(space, ledger, 1);
  }

  void visit(const Assignment& assignment) {
    const std::int64_t makespan = makespan_ns(assignment);
    ledger.add(visit_of(assignment, makespan * 11 / 10, makespan));
  }

  static std::int64_t makespan_ns(const Assignment& assignment) {
    return assignment == Assignment{2, 2} ? 50000 : assignment == Assignment{1, 1} ? 50400 : 100000;
  }

  SearchSpace space;
  TrialLedger ledger;
  std::optional<Belief> belief;

 private:
  void visit_all() {
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        visit({a, b});
      }
    }
  }
};

bool contains(const std::vector<Assignment>& assignments, const Assignment& assignment) {
  return std::find(assignments.begin(), assignments.end(), assignment) != assignments.end();
}

}  // namespace

TEST_CASE("Race: the most likely assignment comes first, the hopeless are left out", "[unit]") {
  Fixture fixture;
  const Race race(*fixture.belief, {2, 2}, {});
  REQUIRE_FALSE(race.finalists().empty());
  CHECK(race.finalists().front() == Assignment{2, 2});
  CHECK(race.finalists().size() < 4);
}

TEST_CASE("Race: the incumbent takes part even if it is hopeless", "[unit]") {
  Fixture fixture;
  const Race race(*fixture.belief, {0, 0}, {});
  CHECK(contains(race.finalists(), {0, 0}));
  CHECK(contains(race.finalists(), {2, 2}));
}

TEST_CASE("Race: the finalists are at most as many as asked for, and the incumbent", "[unit]") {
  const SearchSpace space(request_of({6, 6}, 100).problems);
  TrialLedger ledger;
  for (std::size_t config = 0; config < 6; ++config) {
    ledger.add(visit_of({config, config}, 1000, 1000));
  }
  Belief belief(space, ledger, 1);
  const Race race(belief, {0, 0}, {3, 0.005});
  CHECK(race.finalists().size() >= 3);
  CHECK(race.finalists().size() <= 4);
}

TEST_CASE("Race: what has not been run has no place in it, however likely it is to be the best", "[unit]") {
  const SearchSpace space(request_of({20, 20}, 100).problems);
  TrialLedger ledger;
  ledger.add(visit_of({0, 0}, 1000, 1000));
  ledger.add(visit_of({1, 1}, 900, 900));
  ledger.add(visit_of({2, 2}, 905, 905));
  Belief belief(space, ledger, 1);
  const Race race(belief, {0, 0}, {});
  CHECK(contains(race.finalists(), {1, 1}));
  CHECK(contains(race.finalists(), {2, 2}));
  for (const Assignment& finalist : race.finalists()) {
    CHECK(ledger.proven(finalist));
  }
}

TEST_CASE("Race::enter adds an assignment once", "[unit]") {
  Fixture fixture;
  Race race(*fixture.belief, {2, 2}, {});
  const std::size_t before = race.finalists().size();
  race.enter({0, 1});
  race.enter({0, 1});
  CHECK(race.finalists().size() == before + 1);
  CHECK(race.finalists().back() == Assignment{0, 1});
}

TEST_CASE("Race: the first round visits every finalist once, the next as many", "[unit]") {
  Fixture fixture;
  Race race(*fixture.belief, {0, 0}, {});
  const std::size_t finalists = race.finalists().size();
  CHECK(race.next_round(*fixture.belief) == race.finalists());
  const std::vector<Assignment> second = race.next_round(*fixture.belief);
  CHECK(second.size() == finalists);
  for (const Assignment& assignment : second) {
    CHECK(contains(race.finalists(), assignment));
  }
}

TEST_CASE("Race: with enough visits the shortest is left", "[unit]") {
  Fixture fixture;
  Race race(*fixture.belief, {0, 0}, {8, 0.001});
  bool decided = false;
  for (int round = 0; round < 20 && !decided; ++round) {
    for (const Assignment& assignment : race.next_round(*fixture.belief)) {
      fixture.visit(assignment);
    }
    fixture.belief->update();
    decided = race.decided(*fixture.belief);
  }
  CHECK(decided);
  CHECK(race.finalists().front() == Assignment{2, 2});
  CHECK_FALSE(contains(race.finalists(), {0, 0}));
}

TEST_CASE("Race: a larger minimum gain ends it no later", "[unit]") {
  Fixture fixture;
  Race race(*fixture.belief, {1, 1}, {8, 0.5});
  CHECK(race.decided(*fixture.belief));
}

TEST_CASE("Race::keep_only takes finalists out, all of them if need be", "[unit]") {
  Fixture fixture;
  Race race(*fixture.belief, {0, 0}, {});
  race.keep_only([](const Assignment& assignment) { return assignment[0] != 2; });
  CHECK_FALSE(contains(race.finalists(), {2, 2}));
  CHECK(contains(race.finalists(), {0, 0}));
  race.keep_only([](const Assignment&) { return false; });
  CHECK(race.finalists().empty());
  CHECK(race.decided(*fixture.belief));
  race.next_round(*fixture.belief);
  CHECK(race.next_round(*fixture.belief).empty());
}
