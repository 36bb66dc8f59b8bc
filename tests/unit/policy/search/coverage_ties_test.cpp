#include "contextual/policy/search/coverage.hpp"
#include "support/catch.hpp"
#include "unit/policy/search/scripted_table.hpp"

#include <cstdint>
#include <set>

namespace coverage_ties_test {

using contextual::Assignment;
using contextual::policy::search::Coverage;
using contextual::policy::search::SearchSpace;
using contextual::policy::search::TrialLedger;
using contextual::policy::search::test::request_of;

namespace {

contextual::SearchObservation result(const Assignment& assignment, bool feasible) {
  return {{assignment, 0}, {{1000, {}}}, feasible ? "" : "timed out"};
}

}  // namespace

TEST_CASE("Coverage: any of the configs that were used least may be the neighbour", "[unit]") {
  const SearchSpace space(request_of({6, 3}, 100).problems);
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

TEST_CASE("Coverage gives up a config after three failures", "[unit]") {
  const SearchSpace space(request_of({2, 4}, 100).problems);
  TrialLedger ledger;
  for (std::size_t config = 0; config < 4; ++config) {
    ledger.add(result({0, config}, true));
  }
  Coverage coverage(space, ledger, 1);
  for (int failures = 0; failures < 3; ++failures) {
    const std::optional<Assignment> next = coverage.next();
    REQUIRE(next);
    CHECK(next->front() == 1);
    ledger.add(result(*next, false));
  }
  CHECK_FALSE(coverage.next());
}

}  // namespace coverage_ties_test
