#include "contextual/policy/search/race.hpp"

#include "support/catch.hpp"
#include "unit/policy/search/scripted_table.hpp"
#include "unit/policy/search/spaces.hpp"

namespace contextual::policy::search::test::race_test {

namespace {

/// One problem, whose configs have been visited as often as they have makespans.
class Visited {
 public:
  explicit Visited(const std::vector<std::vector<std::int64_t>>& makespans_ns)
      : space(space_of({makespans_ns.size()})) {
    for (std::size_t config = 0; config < makespans_ns.size(); ++config) {
      for (const std::int64_t makespan_ns : makespans_ns[config]) {
        visit({config}, makespan_ns);
      }
    }
  }

  void visit(const Assignment& assignment, std::int64_t makespan_ns) {
    ledger.add(trial(assignment, {makespan_ns * 11 / 10, makespan_ns}));
  }

  SearchSpace space;
  TrialLedger ledger;
};

}  // namespace

TEST_CASE("Race: two are decided if nothing can be gained between them") {
  const Visited visited({{100000}, {100300}});
  Belief belief(visited.space, visited.ledger, 1);
  CHECK_FALSE(race_is_decided(belief, 0.005));
  CHECK(race_is_decided(belief, 0.5));
}

TEST_CASE("Race: its leader is what most draws find the shortest, not the first of them") {
  const Visited visited({{100000, 100000}, {102500, 102500}});
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Belief belief(visited.space, visited.ledger, seed);
    INFO("seed " << seed);
    CHECK(race_is_decided(belief, 0.03));
  }
}

TEST_CASE("Race: one alone is decided, and so is none") {
  Visited visited({{100000}, {}});
  Belief one(visited.space, visited.ledger, 1);
  CHECK(race_is_decided(one, 0.005));
  CHECK(race_round(one) == std::vector<Assignment>(8, Assignment{0}));
  visited.space.reject(0, 0);
  CHECK(race_is_decided(one, 0.005));
  CHECK(race_round(one).empty());
}

TEST_CASE("Race: a round visits the shortest of one draw and the second of the next") {
  const Visited visited({{200000, 200000, 200000}, {100000, 100000, 100000}});
  Belief belief(visited.space, visited.ledger, 1);
  const std::vector<Assignment> round = race_round(belief);
  REQUIRE(round.size() == 8);
  for (std::size_t i = 0; i < round.size(); ++i) {
    CHECK(round[i] == Assignment{i % 2 == 0 ? 1U : 0U});
  }
}

TEST_CASE("Race: what is hardly ever among the two shortest is not visited") {
  const Visited visited({{200000, 200000, 200000}, {100000, 100000}, {100200, 100200}});
  Belief belief(visited.space, visited.ledger, 1);
  for (int i = 0; i < 5; ++i) {
    const std::vector<Assignment> round = race_round(belief);
    CHECK(std::count(round.begin(), round.end(), Assignment{0}) == 0);
  }
}

TEST_CASE("Race: what has been run once without a sample takes part as long as it may be the best") {
  Visited visited({{100000, 100000, 100000}, {}, {150000, 150000}});
  visited.ledger.add(trial({1}, {108000}));
  Belief belief(visited.space, visited.ledger, 1);
  const std::vector<Assignment> round = race_round(belief);
  CHECK(std::count(round.begin(), round.end(), Assignment{1}) > 0);
  CHECK_FALSE(race_is_decided(belief, 0.005));
}

TEST_CASE("Race: what has not been run has no place in it, however likely it is to be the best") {
  const SearchSpace space = space_of({20, 20});
  TrialLedger ledger;
  ledger.add(trial({0, 0}, {1000, 1000}));
  ledger.add(trial({1, 1}, {900, 900}));
  ledger.add(trial({2, 2}, {905, 905}));
  Belief belief(space, ledger, 1);
  for (const Assignment& assignment : race_round(belief)) {
    CHECK(ledger.proven(assignment));
  }
}

TEST_CASE("Race: with enough visits it is decided") {
  Visited visited({{100000}, {50000}, {50400}});
  Belief belief(visited.space, visited.ledger, 1);
  bool decided = false;
  for (int round = 0; round < 20 && !decided; ++round) {
    for (const Assignment& assignment : race_round(belief)) {
      visited.visit(assignment, assignment[0] == 0 ? 100000 : assignment[0] == 1 ? 50000 : 50400);
    }
    belief.update();
    decided = race_is_decided(belief, 0.001);
  }
  CHECK(decided);
  CHECK(belief.expected({1}) < belief.expected({2}));
}

}  // namespace contextual::policy::search::test::race_test
