/// \file
/// A search that breaks its contract ends the run with an error, and nothing is run that must not be.

#include "unit/policy/reason_words.hpp"
#include "unit/policy/scripted_search.hpp"

#include <contextual/error.hpp>

#include <limits>

namespace contextual::policy::test::checked_search_test {

namespace {

constexpr int budget = 60;  ///< runs of a region, of which the walk takes 9

/// A region of two problems with two and three configs.
struct Checked : ScriptedRun {
  Checked() : ScriptedRun({2, 3}) { options.search_runs = budget; }

  /// Returns the message of the InvalidArgument that ends the run, or another text.
  std::string error() const {
    return contextual::test::error_text<InvalidArgument>([this] { const Tuned tuned(options, world); });
  }
};

}  // namespace

TEST_CASE("a search that plans what does not exist ends the run with an error") {
  Checked checked;
  checked.script->batches = {{{{1, 99}, 1}}};
  CHECK_THAT(checked.error(), ContainsSubstring("planned config-99 of a problem with 3 configs"));
  checked.script->batches = {{{{1}, 1}}};
  CHECK_THAT(checked.error(), ContainsSubstring("planned an assignment of 1 problems; there are 2"));
  checked.script->batches = {{{{}, 1}}};
  checked.options.feasible = [](const Assignment&) { return true; };
  CHECK_THAT(checked.error(), ContainsSubstring("planned an assignment of 0 problems; there are 2"));
}

TEST_CASE("a search that plans no number of runs ends the run with an error") {
  Checked checked;
  for (const int samples : {-1, budget, std::numeric_limits<int>::max()}) {
    checked.script->batches = {{{{1, 2}, samples}}};
    CHECK_THAT(checked.error(), ContainsSubstring("planned " + std::to_string(samples) + " samples"));
  }
}

TEST_CASE("a search that chooses what does not exist ends the run with an error") {
  Checked checked;
  for (const Assignment& best : {Assignment{1, 3}, Assignment{1}, Assignment{1, 2, 0}}) {
    checked.script->best = best;
    CHECK_THAT(checked.error(), ContainsSubstring("the search chose "));
  }
}

TEST_CASE("holds 17: a search cannot choose what has never been run") {
  Checked checked;
  checked.script->best = Assignment{1, 0};
  CHECK_THAT(checked.error(), ContainsSubstring("the search chose an assignment that has never been run"));
  checked.script->batches = {{{{1, 0}, 1}}};
  Driver driver(checked.options, checked.world);
  CHECK_NOTHROW(driver.finish());
}

TEST_CASE("holds 16: a search cannot plan or choose what `feasible` rules out") {
  Checked checked;
  checked.options.feasible = [](const Assignment& assignment) { return assignment != Assignment{1, 2}; };
  checked.script->best = Assignment{1, 2};
  CHECK_THAT(checked.error(), ContainsSubstring("the search chose an infeasible assignment"));

  checked.script->batches.assign(100, {{{1, 2}, 1}});
  Driver driver(checked.options, checked.world);
  CHECK_THROWS_WITH(driver.finish(), ContainsSubstring("planned an infeasible assignment again"));
  CHECK(driver.runs_of({1, 2}) == 0);
}

TEST_CASE("holds 16: a search cannot plan again what has failed, or a config that was rejected") {
  Checked checked;
  checked.world.feasible = [](const Assignment& assignment) { return assignment != Assignment{0, 1}; };
  checked.script->batches.assign(100, {{{0, 1}, 1}});
  Driver driver(checked.options, checked.world);
  CHECK_THROWS_WITH(driver.finish(), ContainsSubstring("planned an infeasible assignment again"));
  CHECK(driver.runs_of({0, 1}) == 1);

  Checked rejecting;
  rejecting.script->batches.assign(100, {{{1, 2}, 1}});
  Driver other(rejecting.options, rejecting.world);
  while (other.state.search_iterations() < 4) {
    other.run_batch();
  }
  CHECK_THROWS_WITH(other.state.reject({{1, 2, 0, "out of memory"}}),
                    ContainsSubstring("planned config-2, which is no candidate"));
}

TEST_CASE("search: a plan of many trials is cut where the budget ends") {
  Checked checked;
  checked.script->best = Assignment{1, 2};
  checked.script->batches = {std::vector<SearchTrial>(1000, {{1, 2}, 1})};
  const Tuned driver(checked.options, checked.world);
  CHECK(driver.runs <= budget);
  CHECK_THAT(text(driver.state.searches().front().cut), ContainsSubstring("its budget of"));
}

}  // namespace contextual::policy::test::checked_search_test
