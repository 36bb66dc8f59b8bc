#include "support/catch.hpp"
#include "unit/policy/model_region.hpp"
#include "unit/policy/reason_words.hpp"

#include <contextual/error.hpp>

namespace contextual::policy::test::walk_test {

namespace {

PolicyOptions walk_only(int n_warmup, int n_repeat, SearchLevel search = SearchLevel::off) {
  PolicyOptions options{.n_warmup = n_warmup, .n_repeat = n_repeat, .search = search};
  return options;
}

/// The state of one problem.
struct Walking : TuningState {
  Walking(const PolicyOptions& options, const ProblemRequest& request) : TuningState(options) {
    add_problem(request);
  }
};

/// One batch of the planned length; `change` may spoil the outcome.
void step(
    TuningState& state, const ModelRegion& region,
    const std::function<void(BatchOutcome&)>& change = [](BatchOutcome&) {}) {
  BatchOutcome outcome;
  const auto plans = state.plan(state.suggested_length());
  for (const IterationPlan& plan : plans) {
    outcome.iterations.push_back(run_region(region, assignment_of(plan)));
  }
  change(outcome);
  state.observe(plans, outcome);
}

void finish(TuningState& state, const ModelRegion& region) {
  for (int batch = 0; !state.done() && batch < 10000; ++batch) {
    step(state, region);
  }
  REQUIRE(state.done());
}

}  // namespace

TEST_CASE("walk of 2 and 3 configs is the documented table") {
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

TEST_CASE("walk that settles more often plans the same table") {
  const ModelRegion region = additive_region({{20, 10}, {30, 20, 10}});
  TuningState reference{walk_only(2, 3)};
  const auto table = tune(reference, {2, 3}, region);
  for (const std::size_t longest : {1U, 2U, 3U, 4U}) {
    TuningState state{walk_only(2, 3)};
    CHECK(tune(state, {2, 3}, region, longest) == table);
  }
  CHECK(table.size() == 15);
}

TEST_CASE("walk that is half done uses the best so far, the default before") {
  Walking state(walk_only(1, 1), {3, {}, std::nullopt});
  const ModelRegion region = additive_region({{20, 10, 30}});
  CHECK_FALSE(state.best_so_far(0));
  CHECK(state.problem(0).choice == 0);
  step(state, region);
  CHECK(state.problem(0).choice == 0);
  step(state, region);
  CHECK(state.problem(0).choice == 1);
  REQUIRE(state.best_so_far(0));
  CHECK(*state.best_so_far(0) == 1);
  CHECK(state.plan(4)[3].cells[0].role == Cell::Role::best);
  CHECK(state.plan(4)[3].cells[0].config_id == 1);
}

TEST_CASE("walk is done when the first batch launched nothing") {
  TuningState state{walk_only(1, 1)};
  CHECK_FALSE(state.done());
  CHECK(state.suggested_length() == 1);
  const auto plans = state.plan(1);
  CHECK(plans[0].cells.empty());
  state.observe(plans, {{IterationOutcome{}}, {}});
  CHECK(state.done());
}

TEST_CASE("walk of a late problem begins when it is first seen, and its first launch counts") {
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
  state.observe(planned, outcome);
  CHECK(state.problem(0).configs[0].samples_ns == std::vector<std::int64_t>{20, 20});
  CHECK(state.problem(1).walk_iterations == 1);
  CHECK(state.problem(1).configs[0].samples_ns.empty());
  CHECK(cell_text(state.plan(1)[0].cells[1]) == "config-0 (iter-1)");
  finish(state, region);
  CHECK(state.walk_iterations() == 2 + 2 * 3);  // first seen + configs x (warm-ups + repeats)
  CHECK(state.problem(1).choice == 1);
}

TEST_CASE("walk does not advance without a launch and is closed after three absent batches") {
  TuningState state{walk_only(1, 1)};
  const ModelRegion region = additive_region({{30, 20, 10, 10, 10, 10}, {30, 20, 10, 5, 5, 5}});
  state.add_problem({6, {}, std::nullopt});
  state.add_problem({6, {}, std::nullopt});
  const auto absent = [](BatchOutcome& outcome) {
    for (IterationOutcome& iteration : outcome.iterations) {
      iteration.cells[1].launched = false;
    }
  };
  step(state, region);
  step(state, region, absent);
  step(state, region, absent);
  CHECK(state.problem(1).status == ProblemStatus::walking);
  CHECK(cell_text(state.plan(1)[0].cells[1]) == "config-1 (iter-0)");
  step(state, region, [](BatchOutcome&) {});  // seen again: the count starts anew
  step(state, region, absent);
  step(state, region, absent);
  CHECK(state.problem(1).status == ProblemStatus::walking);
  const auto plans = state.plan(1);
  BatchOutcome outcome{{run_region(region, assignment_of(plans[0]))}, {}};
  absent(outcome);
  state.observe(plans, outcome);
  CHECK(state.problem(1).status == ProblemStatus::provisional);
  CHECK(state.problem(1).choice == 1);
  CHECK_THAT(text(state.problem(1).reason), ContainsSubstring("not launched in 3 batches in a row"));
}

TEST_CASE("walk takes a repeat without a valid time again and counts it") {
  for (const std::optional<std::int64_t> bad : {std::optional<std::int64_t>{}, {0}, {-5}}) {
    Walking state(walk_only(1, 2), {2, {}, std::nullopt});
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

TEST_CASE("walk takes no time from a warm-up and needs none") {
  Walking state(walk_only(2, 1), {1, {}, std::nullopt});
  step(state, additive_region({{20}}), [](BatchOutcome& outcome) {
    outcome.iterations[0].cells[0].time_ns = 1;
    outcome.iterations[1].cells[0].time_ns.reset();
  });
  CHECK(state.done());
  CHECK(state.retakes() == 0);
  CHECK(state.problem(0).configs[0].samples_ns == std::vector<std::int64_t>{20});
}

TEST_CASE("walk rejects a config that never has a valid time") {
  PolicyOptions options = walk_only(1, 1);
  options.retake_limit = 3;
  Walking state(options, {2, {}, std::nullopt});
  const ModelRegion region{[](std::size_t, const Assignment& a) { return a[0] == 1 ? 0 : 20; },
                           [](const Assignment&) { return 100; }};
  finish(state, region);
  CHECK(state.problem(0).choice == 0);
  REQUIRE(state.problem(0).configs[1].rejection);
  CHECK(text(state.problem(0).configs[1].rejection) == "no valid time in 4 retakes");
  CHECK(state.walk_iterations() == 2 + 1 + 4);
}

TEST_CASE("walk ignores a rejected config from the rejected tuning iteration on") {
  Walking state(walk_only(1, 3), {3, {}, std::nullopt});
  const ModelRegion region = additive_region({{20, 1, 10}});
  step(state, region);
  step(state, region, [](BatchOutcome& outcome) { outcome.rejections.push_back({0, 1, 2, "wrong result"}); });
  CHECK(state.problem(0).configs[1].samples_ns.size() == 1);
  CHECK(text(state.problem(0).configs[1].rejection) == "wrong result");
  CHECK(cell_text(state.plan(1)[0].cells[0]) == "config-2 (iter-0)");
  finish(state, region);
  CHECK(state.problem(0).choice == 2);
  CHECK(state.retakes() == 0);
}

TEST_CASE("walk makes its choice again when the chosen config is rejected later") {
  TuningState state{walk_only(1, 1)};
  state.add_problem({3, {}, std::nullopt});
  state.add_problem({6, {}, std::nullopt});
  const ModelRegion region = additive_region({{30, 10, 20}, {60, 50, 40, 30, 20, 10}});
  for (int batch = 0; batch < 3; ++batch) {
    step(state, region);
  }
  CHECK(state.problem(0).status == ProblemStatus::locked_in);
  CHECK(state.problem(0).choice == 1);
  step(state, region, [](BatchOutcome& outcome) {
    outcome.rejections.push_back({0, 1, 0, "launch failed"});
  });
  CHECK(state.problem(0).status == ProblemStatus::locked_in);
  CHECK(state.problem(0).choice == 2);
  CHECK_THAT(text(state.problem(0).reason),
             ContainsSubstring("config-1 was rejected after it had been chosen"));
}

TEST_CASE("walk fails when every config is rejected") {
  Walking state(walk_only(1, 1), {3, {false, false, true}, std::nullopt});
  state.reject({{0, 0, 0, "no"}, {0, 1, 0, "neither"}});  // could not be prepared: nothing ran
  CHECK(state.problem(0).status == ProblemStatus::failed);
  CHECK(text(state.problem(0).configs[0].rejection) == "no");
  CHECK(text(state.problem(0).configs[1].rejection) == "neither");
  CHECK_FALSE(state.problem(0).configs[2].rejection);
}

TEST_CASE("walk leaves a problem of an earlier run as it is") {
  Walking state(walk_only(1, 1), {3, {}, 2});
  CHECK(state.done());
  CHECK(state.problem(0).choice == 2);
  CHECK(state.problem(0).status == ProblemStatus::locked_in);
  state.add_problem({2, {}, std::nullopt});
  CHECK_FALSE(state.done());
  CHECK(assignment_of(state.plan(3)[2]) == Assignment{2, 1});
}

TEST_CASE("a choice of an earlier run that cannot be launched any more is walked anew without it") {
  for (const bool default_is_left_out : {false, true}) {
    Walking state(walk_only(1, 1), {3, {default_is_left_out, false, false}, 2});
    state.reject({{0, 2, 0, "no memory left for it"}});
    CHECK_FALSE(state.done());
    CHECK(state.problem(0).status == ProblemStatus::walking);
    finish(state, additive_region({{20, 10, 10}}));
    CHECK(state.problem(0).choice == 1);
    CHECK(state.problem(0).status == ProblemStatus::locked_in);
    CHECK(state.problem(0).configs[0].samples_ns.empty() == default_is_left_out);
    CHECK(state.problem(0).configs[2].samples_ns.empty());
  }
}

TEST_CASE("walk closes what is open at the iteration cap and says what to do") {
  PolicyOptions options = walk_only(1, 1);
  options.max_iterations = 7;
  TuningState state{options};
  for (int batch = 0; !state.done() && batch < 100; ++batch) {  // a key that changes in every run
    BatchOutcome outcome{{IterationOutcome{}}, {}};
    const auto plans = state.plan(1);
    state.add_problem({4, {}, std::nullopt});
    outcome.iterations[0].cells.resize(state.problem_count());
    outcome.iterations[0].cells.back() = {true, 10};
    state.observe(plans, outcome);
  }
  CHECK(state.iterations() == 7);
  CHECK(state.hit_iteration_cap());
  CHECK(state.problem(6).status == ProblemStatus::provisional);
  CHECK(state.problem(6).choice == 0);
  CHECK_THAT(text(state.problem(6).reason), ContainsSubstring("make it coarser"));
}

TEST_CASE("walk cut short chooses among what has been measured") {
  Walking state(walk_only(1, 3), {4, {}, std::nullopt});
  const ModelRegion region = additive_region({{40, 30, 20, 10}});
  const auto plans = state.plan(6);
  BatchOutcome outcome;
  for (const IterationPlan& plan : plans) {
    outcome.iterations.push_back(run_region(region, assignment_of(plan)));
  }
  state.observe(plans, outcome);
  CHECK(state.problem(0).choice == 0);  // config 1 has one sample only
  state.close_open_problems(told("enough"));
  CHECK(state.problem(0).status == ProblemStatus::provisional);
  CHECK(state.problem(0).choice == 1);
  CHECK_THAT(text(state.problem(0).reason), ContainsSubstring("; provisional: closed early: enough"));
}

TEST_CASE("policy refuses options, requests and outcomes that make no sense") {
  CHECK_THROWS_AS(TuningState{walk_only(0, 1)},
                  InvalidArgument);  // options_check_test has the rest
  TuningState state{walk_only(1, 1)};
  CHECK_THROWS_AS(state.add_problem({0, {}, std::nullopt}), InvalidArgument);
  CHECK_THROWS_AS(state.add_problem({2, {true}, std::nullopt}), InvalidArgument);
  CHECK_THROWS_AS(state.add_problem({2, {}, 2}), InvalidArgument);
  state.add_problem({2, {}, std::nullopt});
  const auto plans = state.plan(1);
  CHECK_THROWS_AS(state.observe(plans, {{IterationOutcome{}}, {}}), InvalidArgument);
  CHECK_THROWS_AS(state.observe({}, {{IterationOutcome{{{true, 10}}, 10}}, {}}), InvalidArgument);
  CHECK_THROWS_AS(state.observe(plans, {{}, {{0, 7, 0, "no such config"}}}), InvalidArgument);
  CHECK_THROWS_AS(state.reject({{1, 0, 0, "no such problem"}}), InvalidArgument);
}

TEST_CASE("policy refuses a plan with cells of other problems, or of fewer in some iterations") {
  TuningState state{walk_only(1, 1)};
  state.add_problem({2, {}, std::nullopt});
  state.add_problem({2, {}, std::nullopt});
  auto plans = state.plan(2);
  plans.back().cells.pop_back();
  CHECK_THROWS_WITH(state.observe(plans, {}), ContainsSubstring("plan with 1 cells for 2 tuning problems"));
  plans = state.plan(2);
  for (IterationPlan& plan : plans) {
    plan.cells.emplace_back();
  }
  CHECK_THROWS_WITH(state.observe(plans, {}), ContainsSubstring("plan with 3 cells for 2 tuning problems"));
}

TEST_CASE("walk counts a config that is rejected again only once, with its first reason") {
  Walking state(walk_only(1, 1), {2, {}, std::nullopt});
  state.reject({{0, 1, 0, "first"}, {0, 1, 0, "second"}});
  CHECK(state.problem(0).status == ProblemStatus::walking);
  CHECK(text(state.problem(0).configs[1].rejection) == "first");
}

TEST_CASE("a plan has no effect: any number of plans between a plan and its outcome changes nothing") {
  const ModelRegion region = additive_region({{20, 10, 30}});
  TuningState quiet{walk_only(1, 2)};
  TuningState curious{walk_only(1, 2)};
  quiet.add_problem({3, {}, std::nullopt});
  curious.add_problem({3, {}, std::nullopt});
  while (!quiet.done()) {
    const auto plans = quiet.plan(quiet.suggested_length());
    BatchOutcome outcome;
    for (const IterationPlan& plan : plans) {
      outcome.iterations.push_back(run_region(region, assignment_of(plan)));
    }
    const TuningState& untouched = curious;
    const auto same = untouched.plan(plans.size());
    CHECK(untouched.plan(7).size() == 7);  // the state does not take this one for what ran
    CHECK(untouched.plan(1).front().cells == same.front().cells);
    quiet.observe(plans, outcome);
    curious.observe(same, outcome);
    CHECK(curious.problem(0).choice == quiet.problem(0).choice);
    CHECK(curious.iterations() == quiet.iterations());
    CHECK(curious.retakes() == 0);
  }
  CHECK(curious.done());
  CHECK(curious.problem(0).choice == 1);
}

TEST_CASE("a batch of which only the first tuning iterations ran counts those") {
  Walking state(walk_only(1, 2), {2, {}, std::nullopt});
  const ModelRegion region = additive_region({{20, 10}});
  const auto plans = state.plan(3);
  state.observe(plans, {{run_region(region, {0}), run_region(region, {0})}, {}});
  CHECK(state.iterations() == 2);
  CHECK(cell_text(state.plan(1)[0].cells[0]) == "config-0 (iter-2)");
  CHECK(state.suggested_length() == 1);
}

TEST_CASE("holds 17: walk whose warm-ups are more than the iteration cap is provisional") {
  PolicyOptions options = walk_only(1000000, 1000000);
  options.max_iterations = 20;
  Walking state(options, {2, {}, std::nullopt});
  CHECK(state.suggested_length() == 20);
  finish(state, additive_region({{20, 10}}));
  CHECK(state.iterations() == 20);
  CHECK(state.hit_iteration_cap());
  CHECK(state.problem(0).status == ProblemStatus::provisional);
  CHECK(state.problem(0).choice == 0);
  CHECK_THAT(text(state.problem(0).reason), ContainsSubstring("iteration cap of 20 reached"));
}

namespace {

/// A walk over configs with these own times, to the end.
struct Walked : Walking {
  explicit Walked(const std::vector<std::int64_t>& times, SearchLevel search = SearchLevel::off)
      : Walking(walk_only(1, 2, search), {times.size(), {}, std::nullopt}) {
    finish(*this, additive_region({times}));
  }
};

}  // namespace

TEST_CASE("a choice that the final run rejects gives way to the measured second best at once") {
  for (const SearchLevel search : {SearchLevel::off, SearchLevel::normal}) {
    Walked state({40, 10, 20, 30}, search);
    REQUIRE(state.problem(0).choice == 1);
    CHECK(state.reject_choice({0, 1, 0, "wrong result"}));
    CHECK(state.problem(0).choice == 2);
    CHECK(state.problem(0).status == ProblemStatus::locked_in);
    CHECK(text(state.problem(0).configs[1].rejection) == "wrong result");
    CHECK(text(state.problem(0).reason) ==
          "config-1 was rejected in the final run (wrong result); then: fastest by own time, 50.0 % shorter "
          "than the default");
    CHECK(state.done());
    CHECK(state.plan(1)[0].phase == Phase::final_run);
    CHECK(assignment_of(state.plan(1)[0]) == Assignment{2});
    CHECK_FALSE(state.reject_choice({0, 3, 0, "was the fallback"}));  // not the choice
    CHECK(state.problem(0).choice == 2);
    CHECK(state.reject_choice({0, 2, 0, "wrong too"}));
    CHECK(state.problem(0).choice == 0);
  }
}

TEST_CASE("a choice of an earlier run that the final run rejects gives way to the default") {
  Walking state(walk_only(1, 1), {3, {}, 2});
  CHECK(state.reject_choice({0, 2, 0, "no longer right"}));
  CHECK(state.problem(0).choice == 0);
  CHECK(text(state.problem(0).reason) ==
        "config-2 was rejected in the final run (no longer right); then: without times the default stays; "
        "provisional: nothing else has been measured");
  CHECK(state.problem(0).status == ProblemStatus::provisional);
}

TEST_CASE("a final run that rejects every config fails the problem") {
  Walked state({20, 10});
  CHECK(state.reject_choice({0, 1, 0, "wrong"}));
  CHECK_FALSE(state.reject_choice({0, 0, 0, "wrong too"}));
  CHECK(state.problem(0).status == ProblemStatus::failed);
  state.make_provisional(0, "gave up");
  CHECK(state.problem(0).status == ProblemStatus::failed);
}

TEST_CASE("a problem whose choices could not be confirmed is provisional, with the best that is left") {
  Walked state({40, 10, 20, 30});
  state.reject_choice({0, 1, 0, "wrong"});
  state.reject_choice({0, 2, 0, "wrong too"});
  state.make_provisional(0, "the final run rejected choices three times");
  CHECK(state.problem(0).status == ProblemStatus::provisional);
  CHECK(state.problem(0).choice == 3);
  CHECK(text(state.problem(0).reason) ==
        "config-2 was rejected in the final run (wrong too); then: fastest by own time, 25.0 % shorter than "
        "the default; provisional: the final run rejected choices three times");
  CHECK(state.done());
  CHECK(assignment_of(state.plan(1)[0]) == Assignment{3});
}

TEST_CASE("the final run has no say about a problem that is still open") {
  Walking state(walk_only(1, 1), {2, {}, std::nullopt});
  CHECK_THROWS_AS(state.reject_choice({0, 0, 0, "too early"}), InvalidArgument);
  CHECK_THROWS_AS(state.make_provisional(0, "too early"), InvalidArgument);
  CHECK_THROWS_AS(state.reject_choice({1, 0, 0, "no such problem"}), InvalidArgument);
}

TEST_CASE("what is left out or a refinement is not walked, in no trial and wins no tie") {
  struct Row {
    std::string name;
    std::vector<bool> left_out;
    std::size_t refinement_count;
    std::vector<std::int64_t> times;
    std::set<std::size_t> used;
    std::size_t choice;  ///< of a walk without a search
    std::vector<SearchLevel> searches;
  };
  const std::vector<SearchLevel> off{SearchLevel::off};
  const std::vector<SearchLevel> walked{SearchLevel::off, SearchLevel::normal};
  const std::vector<SearchLevel> all{SearchLevel::off, SearchLevel::quick, SearchLevel::normal};
  for (const Row& row :
       {Row{"some are left out", {false, true, false, true}, 0, {10, 5, 10, 5}, {0, 2}, 0, walked},
        Row{"the default is left out", {true, false, false}, 0, {5, 10, 10}, {1, 2}, 1, walked},
        Row{"all are left out: the default remains", {true, true}, 0, {20, 10}, {0}, 0, all},
        Row{"refinements", {}, 2, {20, 10, 5, 5}, {0, 1}, 1, all},
        Row{"only refinements", {true, true, false, false}, 2, {20, 10, 8, 5}, {2, 3}, 3, off}}) {
    for (const SearchLevel search : row.searches) {
      CAPTURE(row.name, static_cast<int>(search));
      PolicyOptions options = walk_only(1, 2);
      options.search = search;
      ProblemRequest request{row.times.size(), row.left_out, std::nullopt};
      request.refinement_count = row.refinement_count;
      Walking state(options, request);
      std::set<std::size_t> used;
      finish(state, {[&](std::size_t, const Assignment& a) {
                       used.insert(a[0]);
                       return row.times[a[0]];
                     },
                     [](const Assignment&) { return 100; }});
      const ProblemRecord& problem = state.problem(0);
      CHECK(used == row.used);
      CHECK(problem.status == ProblemStatus::locked_in);
      if (search == SearchLevel::off) {
        CHECK(problem.choice == row.choice);
        CHECK(state.walk_iterations() == static_cast<std::int64_t>(3 * row.used.size()));
      } else {
        CHECK(problem.choice == *row.used.begin());  // all makespans are equal
      }
      for (std::size_t config = 0; config < row.left_out.size(); ++config) {
        CHECK(problem.configs[config].left_out == (row.left_out[config] && !row.used.contains(config)));
      }
    }
  }
}

TEST_CASE("a default that is left out stays what first launches and fallbacks use") {
  TuningState state{walk_only(1, 1)};
  const auto plans = state.plan(1);
  state.add_problem({3, {true, false, false}, std::nullopt});
  CHECK(state.problem(0).choice == 0);
  CHECK_FALSE(state.best_so_far(0));
  state.observe(plans, {{IterationOutcome{{{true, 10}}, 10}}, {}});  // its first launch used the default
  CHECK(state.problem(0).walk_iterations == 0);
  CHECK(state.retakes() == 0);
  CHECK(cell_text(state.plan(1)[0].cells[0]) == "config-1 (iter-0)");
  state.close_open_problems(told("enough"));
  CHECK(state.problem(0).status == ProblemStatus::provisional);
  CHECK(state.problem(0).choice == 0);
}

TEST_CASE("a default that is left out is provisional where every candidate is rejected") {
  for (const SearchLevel search : {SearchLevel::off, SearchLevel::normal}) {
    for (const bool in_final_run : {false, true}) {
      INFO((search == SearchLevel::off ? "walk only, " : "with a search, ")
           << (in_final_run ? "final run" : "walk"));
      PolicyOptions options = walk_only(1, 1);
      options.search = search;
      Walking state(options, {3, {true, false, true}, std::nullopt});
      if (in_final_run) {
        finish(state, additive_region({{10, 10, 10}}));
        CHECK(state.reject_choice({0, 1, 0, "wrong"}));
      } else {
        state.reject({{0, 1, 0, "cannot be launched"}});
      }
      CHECK(state.done());
      CHECK(state.problem(0).status == ProblemStatus::provisional);
      CHECK(state.problem(0).choice == 0);
      CHECK_THAT(text(state.problem(0).reason),
                 ContainsSubstring("provisional: every candidate was rejected"));
      CHECK_FALSE(state.reject_choice({0, 0, 0, "wrong too"}));
      CHECK(state.problem(0).status == ProblemStatus::failed);
    }
  }
}

TEST_CASE("refinements are walked where every other config is rejected") {
  TuningState state{walk_only(1, 2)};
  ProblemRequest request{4, {}, std::nullopt};
  request.refinement_count = 2;
  state.add_problem(request);
  state.reject({{0, 0, 0, "cannot be launched"}, {0, 1, 0, "cannot be launched"}});
  finish(state, additive_region({{20, 10, 8, 5}}));
  CHECK(state.problem(0).status == ProblemStatus::locked_in);
  CHECK(state.problem(0).choice == 3);
}

}  // namespace contextual::policy::test::walk_test
