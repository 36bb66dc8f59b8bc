#include "contextual/policy/feasibility.hpp"

#include "support/catch.hpp"

namespace contextual::policy::feasibility_test {

TEST_CASE("Feasibility: what failed is not proven, also if it had succeeded or succeeds later") {
  Feasibility feasibility;
  feasibility.succeeded({0, 0});
  feasibility.failed({0, 0}, told("wrong"));
  feasibility.succeeded({0, 0});
  CHECK_FALSE(feasibility.proven({0, 0}));
  CHECK(feasibility.infeasible({0, 0}));
  CHECK(feasibility.failures().at({0, 0}) == told("wrong"));
  CHECK_FALSE(feasibility.first_proven(2));
}

TEST_CASE("Feasibility: the first assignment that succeeded, of so many problems") {
  const PolicyOptions options;
  std::vector<ProblemState> problems;
  problems.emplace_back(ProblemRequest{3, {}, std::nullopt}, options);
  problems.emplace_back(ProblemRequest{2, {}, std::nullopt}, options);
  const ChoicePoints choice_points(problems);
  Feasibility feasibility(&choice_points);
  feasibility.succeeded({1});
  feasibility.succeeded({2, 0});
  feasibility.succeeded({1, 1});
  CHECK(feasibility.first_proven(2) == Assignment{2, 0});
  problems.front().reject(2, told("wrong"));
  CHECK(feasibility.first_proven(2) == Assignment{1, 1});
  feasibility.succeeded({2, 1});  // its config has been rejected: what ran was a fallback
  CHECK_FALSE(feasibility.proven({2, 1}));
}

TEST_CASE("Feasibility: of what is ruled out two hundred are listed, beside all that failed") {
  Feasibility feasibility;
  for (std::size_t config = 0; config < 250; ++config) {
    feasibility.rule_out({config});
  }
  feasibility.failed({300}, told("stuck"));
  feasibility.failed({3}, told("stuck"));  // one that is ruled out, too
  CHECK(feasibility.known_infeasible().size() == 202);
  CHECK(feasibility.infeasible_count() == 251);
}

TEST_CASE("Feasibility: nothing is proven beside a problem that has joined since") {
  Feasibility feasibility;
  feasibility.succeeded({0});
  feasibility.extend(2);
  CHECK_FALSE(feasibility.proven({0}));
  CHECK_FALSE(feasibility.proven({0, 0}));
  CHECK_FALSE(feasibility.first_proven(1));
  CHECK(feasibility.has_succeeded(0, 0));
}

TEST_CASE("Feasibility: what has failed stays known with its reason when a problem joins") {
  Feasibility feasibility;
  feasibility.failed({0}, told("stuck"));
  feasibility.extend(2);
  CHECK(feasibility.failures() == std::map<Assignment, Reason>{{{0}, told("stuck")}});
}

}  // namespace contextual::policy::feasibility_test
