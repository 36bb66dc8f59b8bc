#include "contextual/policy/search_batch.hpp"

#include "support/catch.hpp"

namespace contextual::policy::search_batch_test {

namespace {

bool below_ten(const Assignment& assignment) {
  return assignment.front() < 10;
}

std::vector<Assignment> assignments_of(const std::vector<SearchRunPlan>& runs) {
  std::vector<Assignment> assignments;
  for (const SearchRunPlan& run : runs) {
    assignments.push_back(run.assignment);
  }
  return assignments;
}

}  // namespace

TEST_CASE("search_batch: every trial has a lead-in and its samples") {
  const std::vector<SearchRunPlan> runs = search_batch({{{1}, 2}, {{2}, 0}}, below_ten, {10, false});
  CHECK(assignments_of(runs) == std::vector<Assignment>{{1}, {1}, {1}, {2}});
  CHECK(runs[2].run == 2);
  CHECK(runs[2].samples == 2);
  CHECK(runs[2].trial == 0);
  CHECK(runs[3].trial == 1);
  CHECK(runs[3].run == 0);
}

TEST_CASE("search_batch: no trials, no runs") {
  CHECK(search_batch({}, below_ten, {10, false}).empty());
}

TEST_CASE("search_batch: whole trials as long as they fit, and one in any case") {
  const std::vector<SearchTrial> trials{{{1}, 1}, {{2}, 1}, {{3}, 1}};
  CHECK(search_batch(trials, below_ten, {5, false}).size() == 4);
  CHECK(search_batch(trials, below_ten, {4, false}).size() == 4);
  CHECK(search_batch(trials, below_ten, {3, false}).size() == 2);
  CHECK(search_batch(trials, below_ten, {1, false}).size() == 2);
}

TEST_CASE("search_batch: what is not proven is run once, alone") {
  const std::vector<SearchRunPlan> first = search_batch({{{11}, 2}, {{1}, 1}}, below_ten, {10, false});
  CHECK(assignments_of(first) == std::vector<Assignment>{{11}});
  CHECK(first.front().samples == 0);
  const std::vector<SearchRunPlan> later = search_batch({{{1}, 1}, {{11}, 2}}, below_ten, {10, false});
  CHECK(assignments_of(later) == std::vector<Assignment>{{1}, {1}});
}

TEST_CASE("search_batch of one assignment ends where another one begins") {
  const std::vector<SearchTrial> trials{{{1}, 1}, {{1}, 1}, {{2}, 1}};
  CHECK(search_batch(trials, below_ten, {10, true}).size() == 4);
}

}  // namespace contextual::policy::search_batch_test
