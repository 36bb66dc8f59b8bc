#include "contextual/policy/search/coverage.hpp"

#include "support/catch.hpp"
#include "unit/policy/search/scripted_table.hpp"
#include "unit/policy/search/spaces.hpp"

namespace contextual::policy::search::test::coverage_test {

namespace {

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

/// Runs what is proposed until nothing is; returns every problem and config of it.
template <typename Feasible>
Pairs cover(const SearchSpace& space, Coverage& coverage, TrialLedger& ledger, std::size_t most_trials,
            Feasible feasible) {
  Pairs proposed;
  std::size_t trials = 0;
  while (const std::optional<Assignment> next = coverage.next()) {
    REQUIRE(++trials <= most_trials);
    REQUIRE(next->size() == space.problem_count());
    CHECK(space.candidate(*next));
    CHECK_FALSE(ledger.proven(*next));
    CHECK_FALSE(ledger.infeasible(*next));
    for (std::size_t p = 0; p < next->size(); ++p) {
      proposed.emplace(p, (*next)[p]);
    }
    ledger.add(feasible(*next) ? trial(*next, {1000}) : failure(*next));
  }
  return proposed;
}

bool always(const Assignment&) {
  return true;
}

}  // namespace

TEST_CASE("Coverage proposes every config of every problem in as few trials as possible") {
  const SearchSpace space = space_of({7, 3, 5});
  TrialLedger ledger;
  Coverage coverage(space, ledger, 1);
  CHECK(cover(space, coverage, ledger, 7, always).size() == 7 + 3 + 5);
}

TEST_CASE("Coverage never proposes a config that was left out or rejected") {
  SearchSpace space = space_of({6, 4});
  space.reject(0, 0);
  TrialLedger ledger;
  Coverage coverage(space, ledger, 2);
  const std::optional<Assignment> first = coverage.next();
  REQUIRE(first);
  space.reject(1, first->at(1));
  const Pairs proposed = cover(space, coverage, ledger, 6, always);
  CHECK(proposed.size() == 5 + 3);
  CHECK_FALSE(proposed.contains({0, 0}));
  CHECK_FALSE(proposed.contains({1, first->at(1)}));
}

TEST_CASE("Coverage takes what the walk has run as covered") {
  const SearchSpace space = space_of({3, 3});
  TrialLedger ledger;
  for (std::size_t config = 0; config < 3; ++config) {
    ledger.add_walked({{config, config}, {{1000, {}}}});
  }
  CHECK_FALSE(Coverage(space, ledger, 3).next());
}

TEST_CASE("Coverage tries a config anew beside others until it succeeds") {
  const SearchSpace space = space_of({4, 4});
  TrialLedger ledger;
  Coverage coverage(space, ledger, 4);
  cover(space, coverage, ledger, 30, [](const Assignment& a) { return a[0] != a[1]; });
  Pairs succeeded;
  for (const Assignment& assignment : ledger.proven()) {
    succeeded.emplace(0, assignment[0]);
    succeeded.emplace(1, assignment[1]);
  }
  CHECK(succeeded.size() == 8);
}

TEST_CASE("Coverage ends where everything fails") {
  const SearchSpace space = space_of({4, 4});
  TrialLedger ledger;
  Coverage coverage(space, ledger, 5);
  cover(space, coverage, ledger, 16, [](const Assignment&) { return false; });
  CHECK(ledger.infeasible().size() >= 4);
}

TEST_CASE("Coverage: any of the configs that were used least may be the neighbour") {
  const SearchSpace space = space_of({6, 3});
  const TrialLedger ledger;
  std::set<std::size_t> covered;
  std::set<std::size_t> neighbours;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::optional<Assignment> next = Coverage(space, ledger, seed).next();
    REQUIRE(next);
    covered.insert((*next)[0]);
    neighbours.insert((*next)[1]);
  }
  CHECK(covered.size() == 6);
  CHECK(neighbours.size() == 3);
}

TEST_CASE("Coverage gives up a config after three failures") {
  const SearchSpace space = space_of({2, 4});
  TrialLedger ledger;
  for (std::size_t config = 0; config < 4; ++config) {
    ledger.add(trial({0, config}, {1000}));
  }
  Coverage coverage(space, ledger, 1);
  for (int failures = 0; failures < 3; ++failures) {
    const std::optional<Assignment> next = coverage.next();
    REQUIRE(next);
    CHECK(next->front() == 1);
    ledger.add(failure(*next));
  }
  CHECK_FALSE(coverage.next());
}

TEST_CASE("Coverage proposes nothing if a problem has no candidate left") {
  SearchSpace space = space_of({2, 3});
  space.reject(0, 0);
  space.reject(0, 1);
  const TrialLedger ledger;
  CHECK_FALSE(Coverage(space, ledger, 6).next());
}

TEST_CASE("Coverage knows whether at most so many assignments are untried, however large the space") {
  const SearchSpace small = space_of({2, 2});
  TrialLedger ledger;
  CHECK(Coverage(small, ledger, 7).any_untried(4));
  CHECK_FALSE(Coverage(small, ledger, 7).any_untried(3));
  const SearchSpace huge = space_of(std::vector<std::size_t>(8, 100));  // 1e16: nobody can go through them
  ledger.add(trial(Assignment(8, 99), {1000}));
  CHECK_FALSE(Coverage(huge, ledger, 7).any_untried(4));
  const SearchSpace few = few_of_many_space();
  CHECK(Coverage(few, ledger, 7).any_untried(255));
  CHECK_FALSE(Coverage(few, ledger, 7).any_untried(254));
}

}  // namespace contextual::policy::search::test::coverage_test
