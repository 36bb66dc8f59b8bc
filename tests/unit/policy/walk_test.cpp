#include "support/catch.hpp"
#include "unit/policy/model_region.hpp"

#include <contextual/error.hpp>

#include <set>
#include <string>
#include <vector>

using namespace contextual::policy;
using namespace contextual::policy::test;

namespace {

PolicyOptions walk_only(int n_warmup, int n_repeat) {
  PolicyOptions options;
  options.n_warmup = n_warmup;
  options.n_repeat = n_repeat;
  options.finals = false;
  return options;
}

/// One batch of the planned length; `change` may spoil the outcome.
template <typename Change>
void step(TuningState& state, const ModelRegion& region, const Change& change) {
  BatchOutcome outcome;
  for (const IterationPlan& plan : state.plan(state.suggested_length())) {
    outcome.iterations.push_back(run_region(region, assignment_of(plan)));
  }
  change(outcome);
  state.observe(outcome);
}

void finish(TuningState& state, const ModelRegion& region) {
  for (int batch = 0; !state.done() && batch < 10000; ++batch) {
    step(state, region, [](BatchOutcome&) {});
  }
  REQUIRE(state.done());
}

}  // namespace

TEST_CASE("walk of 2 and 3 configs is the documented table", "[unit]") {
  TuningState state{walk_only(1, 1)};
  const auto table = tune(state, {2, 3}, additive_region({{20, 10}, {30, 20, 10}}));
  const std::vector<std::string> documented = {
      "0 | config-0 (iter-0) | config-0 (iter-0)", "1 | config-0 (iter-1) | config-0 (iter-1)",
      "2 | config-1 (iter-0) | config-1 (iter-0)", "3 | config-1 (iter-1) | config-1 (iter-1)",
      "4 | best-config | config-2 (iter-0)",       "5 | best-config | config-2 (iter-1)"};
  CHECK(table == documented);
  CHECK(state.problem(0).choice == 1);
  CHECK(state.problem(1).choice == 2);
  CHECK(state.plan(1)[0].phase == Phase::final_run);
  CHECK(row_text(6, state.plan(1)[0].cells) == "6 | best-config | best-config");
  CHECK(assignment_of(state.plan(1)[0]) == Assignment{1, 2});
  CHECK(state.walk_iterations() == 6);
  CHECK(state.retakes() == 0);
}

TEST_CASE("walk that settles more often plans the same table", "[unit]") {
  const ModelRegion region = additive_region({{20, 10}, {30, 20, 10}});
  TuningState reference{walk_only(2, 3)};
  const auto table = tune(reference, {2, 3}, region);
  for (const int settle_every : {1, 2, 3, 4}) {
    PolicyOptions options = walk_only(2, 3);
    options.settle_every = settle_every;
    TuningState state{options};
    CHECK(tune(state, {2, 3}, region) == table);
  }
  CHECK(table.size() == 15);
}

TEST_CASE("walk that is half done uses the best so far, the default before", "[unit]") {
  TuningState state{walk_only(1, 1)};
  state.add_problem({3, {}, std::nullopt});
  const ModelRegion region = additive_region({{20, 10, 30}});
  CHECK_FALSE(state.best_so_far(0));
  CHECK(state.problem(0).choice == 0);
  step(state, region, [](BatchOutcome&) {});
  CHECK(state.problem(0).choice == 0);
  step(state, region, [](BatchOutcome&) {});
  CHECK(state.problem(0).choice == 1);
  REQUIRE(state.best_so_far(0));
  CHECK(*state.best_so_far(0) == 1);
  CHECK(state.plan(4)[3].cells[0].role == Cell::Role::best);
  CHECK(state.plan(4)[3].cells[0].config_id == 1);
}

TEST_CASE("walk is done when the first batch launched nothing", "[unit]") {
  TuningState state{walk_only(1, 1)};
  CHECK_FALSE(state.done());
  CHECK(state.suggested_length() == 1);
  CHECK(state.plan(1)[0].cells.empty());
  state.observe({{IterationOutcome{}}, {}});
  CHECK(state.done());
}

TEST_CASE("walk of a late problem begins when it is first seen, and its first launch counts", "[unit]") {
  TuningState state{walk_only(1, 2)};
  const ModelRegion region = additive_region({{20, 10}, {30, 20}});
  state.add_problem({2, {}, std::nullopt});
  const auto planned = state.plan(3);
  state.add_problem({2, {}, std::nullopt});
  BatchOutcome outcome;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    outcome.iterations.push_back(run_region(region, {planned[i].cells[0].config_id, 0}));
    outcome.iterations[i].cells[1].launched = i == 2;  // first seen in the last tuning iteration of the batch
  }
  state.observe(outcome);
  CHECK(state.problem(0).configs[0].samples_ns == std::vector<std::int64_t>{20, 20});
  CHECK(state.problem(1).walk_iterations == 1);
  CHECK(state.problem(1).configs[0].samples_ns.empty());
  CHECK(cell_text(state.plan(1)[0].cells[1]) == "config-0 (iter-1)");
  finish(state, region);
  CHECK(state.walk_iterations() == 2 + 2 * 3);  // first seen + configs x (warm-ups + repeats)
  CHECK(state.problem(1).choice == 1);
}

TEST_CASE("walk does not advance without a launch and is closed after three absent batches", "[unit]") {
  TuningState state{walk_only(1, 1)};
  const ModelRegion region = additive_region({{30, 20, 10, 10, 10, 10}, {30, 20, 10, 5, 5, 5}});
  state.add_problem({6, {}, std::nullopt});
  state.add_problem({6, {}, std::nullopt});
  const auto absent = [](BatchOutcome& outcome) {
    for (IterationOutcome& iteration : outcome.iterations) {
      iteration.cells[1].launched = false;
    }
  };
  step(state, region, [](BatchOutcome&) {});
  step(state, region, absent);
  step(state, region, absent);
  CHECK(state.problem(1).status == ProblemStatus::walking);
  CHECK(cell_text(state.plan(1)[0].cells[1]) == "config-1 (iter-0)");
  step(state, region, [](BatchOutcome&) {});  // seen again: the count starts anew
  step(state, region, absent);
  step(state, region, absent);
  CHECK(state.problem(1).status == ProblemStatus::walking);
  state.observe([&] {
    BatchOutcome outcome{{run_region(region, assignment_of(state.plan(1)[0]))}, {}};
    absent(outcome);
    return outcome;
  }());
  CHECK(state.problem(1).status == ProblemStatus::incomplete);
  CHECK(state.problem(1).choice == 1);
  CHECK_THAT(state.problem(1).reason, ContainsSubstring("not launched in 3 batches in a row"));
}

TEST_CASE("walk takes a repeat without a valid time again and counts it", "[unit]") {
  for (const std::optional<std::int64_t> bad : {std::optional<std::int64_t>{}, {0}, {-5}}) {
    TuningState state{walk_only(1, 2)};
    state.add_problem({2, {}, std::nullopt});
    const ModelRegion region = additive_region({{20, 10}});
    step(state, region, [&](BatchOutcome& outcome) { outcome.iterations[1].cells[0].time_ns = bad; });
    CHECK(state.retakes() == 1);
    CHECK(state.problem(0).configs[0].retakes == 1);
    CHECK(state.problem(0).configs[0].samples_ns.size() == 1);
    CHECK(state.suggested_length() == 1);
    CHECK(cell_text(state.plan(1)[0].cells[0]) == "config-0 (iter-2)");
    finish(state, region);
    CHECK(state.walk_iterations() == 2 * 3 + 1);
    CHECK(state.problem(0).configs[0].samples_ns.size() == 2);
  }
}

TEST_CASE("walk takes no time from a warm-up and needs none", "[unit]") {
  TuningState state{walk_only(2, 1)};
  state.add_problem({1, {}, std::nullopt});
  step(state, additive_region({{20}}), [](BatchOutcome& outcome) {
    outcome.iterations[0].cells[0].time_ns = 1;
    outcome.iterations[1].cells[0].time_ns.reset();
  });
  CHECK(state.done());
  CHECK(state.retakes() == 0);
  CHECK(state.problem(0).configs[0].samples_ns == std::vector<std::int64_t>{20});
}

TEST_CASE("walk rejects a config that never has a valid time", "[unit]") {
  PolicyOptions options = walk_only(1, 1);
  options.retake_limit = 3;
  TuningState state{options};
  state.add_problem({2, {}, std::nullopt});
  const ModelRegion region{[](std::size_t, const Assignment& a) { return a[0] == 1 ? 0 : 20; },
                           [](const Assignment&) { return 100; }};
  finish(state, region);
  CHECK(state.problem(0).choice == 0);
  REQUIRE(state.problem(0).configs[1].rejection);
  CHECK(*state.problem(0).configs[1].rejection == "no valid time in 4 retakes");
  CHECK(state.walk_iterations() == 2 + 1 + 4);
}

TEST_CASE("walk ignores a rejected config from the rejected tuning iteration on", "[unit]") {
  TuningState state{walk_only(1, 3)};
  state.add_problem({3, {}, std::nullopt});
  const ModelRegion region = additive_region({{20, 1, 10}});
  step(state, region, [](BatchOutcome&) {});
  step(state, region, [](BatchOutcome& outcome) { outcome.rejections.push_back({0, 1, 2, "wrong result"}); });
  CHECK(state.problem(0).configs[1].samples_ns.size() == 1);
  CHECK(*state.problem(0).configs[1].rejection == "wrong result");
  CHECK(cell_text(state.plan(1)[0].cells[0]) == "config-2 (iter-0)");
  finish(state, region);
  CHECK(state.problem(0).choice == 2);
  CHECK(state.retakes() == 0);
}

TEST_CASE("walk makes its choice again when the chosen config is rejected later", "[unit]") {
  TuningState state{walk_only(1, 1)};
  state.add_problem({3, {}, std::nullopt});
  state.add_problem({6, {}, std::nullopt});
  const ModelRegion region = additive_region({{30, 10, 20}, {60, 50, 40, 30, 20, 10}});
  for (int batch = 0; batch < 3; ++batch) {
    step(state, region, [](BatchOutcome&) {});
  }
  CHECK(state.problem(0).status == ProblemStatus::locked_in);
  CHECK(state.problem(0).choice == 1);
  step(state, region, [](BatchOutcome& outcome) {
    outcome.rejections.push_back({0, 1, 0, "launch failed"});
  });
  CHECK(state.problem(0).status == ProblemStatus::locked_in);
  CHECK(state.problem(0).choice == 2);
  CHECK_THAT(state.problem(0).reason, ContainsSubstring("config-1 was rejected after it had been chosen"));
}

TEST_CASE("walk fails when every config is rejected", "[unit]") {
  TuningState state{walk_only(1, 1)};
  state.add_problem({3, {false, false, true}, std::nullopt});
  state.plan(2);
  state.observe({{}, {{0, 0, 0, "no"}, {0, 1, 0, "neither"}}});  // could not be prepared: nothing ran
  CHECK(state.problem(0).status == ProblemStatus::failed);
  CHECK(*state.problem(0).configs[0].rejection == "no");
  CHECK(*state.problem(0).configs[1].rejection == "neither");
  CHECK_FALSE(state.problem(0).configs[2].rejection);
}

TEST_CASE("walk never plans a pruned config", "[unit]") {
  TuningState state{walk_only(1, 1)};
  state.add_problem({4, {false, true, false, true}, std::nullopt});
  std::set<std::size_t> used;
  const ModelRegion region{[&](std::size_t, const Assignment& a) {
                             used.insert(a[0]);
                             return 10;
                           },
                           [](const Assignment&) { return 100; }};
  finish(state, region);
  CHECK(used == std::set<std::size_t>{0, 2});
  CHECK(state.problem(0).configs[1].pruned);
  CHECK(state.walk_iterations() == 4);
}

TEST_CASE("walk leaves a problem of an earlier run as it is", "[unit]") {
  TuningState state{walk_only(1, 1)};
  state.add_problem({3, {}, 2});
  CHECK(state.done());
  CHECK(state.problem(0).choice == 2);
  CHECK(state.problem(0).status == ProblemStatus::locked_in);
  state.add_problem({2, {}, std::nullopt});
  CHECK_FALSE(state.done());
  CHECK(assignment_of(state.plan(3)[2]) == Assignment{2, 1});
}

TEST_CASE("walk closes what is open at the iteration cap and says what to do", "[unit]") {
  PolicyOptions options = walk_only(1, 1);
  options.max_iterations = 7;
  TuningState state{options};
  for (int batch = 0; !state.done() && batch < 100; ++batch) {  // a key that changes in every run
    BatchOutcome outcome{{IterationOutcome{}}, {}};
    state.plan(1);
    state.add_problem({4, {}, std::nullopt});
    outcome.iterations[0].cells.resize(state.problem_count());
    outcome.iterations[0].cells.back() = {true, 10};
    state.observe(outcome);
  }
  CHECK(state.iterations() == 7);
  CHECK(state.hit_iteration_cap());
  CHECK(state.problem(6).status == ProblemStatus::incomplete);
  CHECK(state.problem(6).choice == 0);
  CHECK_THAT(state.problem(6).reason, ContainsSubstring("make it coarser"));
}

TEST_CASE("walk cut short chooses among what has been measured", "[unit]") {
  TuningState state{walk_only(1, 3)};
  state.add_problem({4, {}, std::nullopt});
  const ModelRegion region = additive_region({{40, 30, 20, 10}});
  state.plan(6);
  BatchOutcome outcome;
  for (const IterationPlan& plan : state.plan(6)) {
    outcome.iterations.push_back(run_region(region, assignment_of(plan)));
  }
  state.observe(outcome);
  CHECK(state.problem(0).choice == 0);  // config 1 has one sample only
  state.close_open_problems("enough");
  CHECK(state.problem(0).status == ProblemStatus::incomplete);
  CHECK(state.problem(0).choice == 1);
  CHECK_THAT(state.problem(0).reason, ContainsSubstring("closed early: enough"));
}

TEST_CASE("policy refuses options, requests and outcomes that make no sense", "[unit]") {
  CHECK_THROWS_AS(TuningState{walk_only(0, 1)}, contextual::InvalidArgument);
  CHECK_THROWS_AS(TuningState{walk_only(1, 0)}, contextual::InvalidArgument);
  TuningState state{walk_only(1, 1)};
  CHECK_THROWS_AS(state.add_problem({0, {}, std::nullopt}), contextual::InvalidArgument);
  CHECK_THROWS_AS(state.add_problem({2, {true}, std::nullopt}), contextual::InvalidArgument);
  CHECK_THROWS_AS(state.add_problem({2, {}, 2}), contextual::InvalidArgument);
  state.add_problem({2, {}, std::nullopt});
  state.plan(1);
  CHECK_THROWS_AS(state.observe({{IterationOutcome{}}, {}}), contextual::InvalidArgument);
  CHECK_THROWS_AS(state.observe({{}, {{0, 7, 0, "no such config"}}}), contextual::InvalidArgument);
}

TEST_CASE("walk counts a config that is rejected again only once, with its first reason", "[unit]") {
  TuningState state{walk_only(1, 1)};
  state.add_problem({2, {}, std::nullopt});
  state.plan(1);
  state.observe({{}, {{0, 1, 0, "first"}, {0, 1, 0, "second"}}});
  CHECK(state.problem(0).status == ProblemStatus::walking);
  CHECK(*state.problem(0).configs[1].rejection == "first");
}
