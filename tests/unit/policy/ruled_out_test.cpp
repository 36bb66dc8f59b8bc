// What must not be run is not run, and what cannot be measured now and then is not given up.

#include "unit/policy/reason_words.hpp"
#include "unit/policy/scripted_search.hpp"

namespace contextual::policy::test::ruled_out_test {

namespace {

/// The second problem changes its config within the batches of the first one's.
World one_lags_behind() {
  World world = later_is_shorter({4, 4});
  world.skips = [](std::int64_t run, std::size_t problem) { return (run == 2 || run == 3) && problem == 1; };
  return world;
}

}  // namespace

TEST_CASE("walk: `feasible` is asked for every assignment of a batch") {
  for (const SearchLevel level : {SearchLevel::off, SearchLevel::normal}) {
    const PolicyOptions options{
        .n_warmup = 1,
        .n_repeat = 3,
        .search = level,
        .closing_rounds = 0,
        .feasible = [](const Assignment& a) { return a.size() < 2 || a[0] != a[1] || a[0] != 1; }};
    const Tuned driver(options, one_lags_behind());
    CHECK(driver.runs_of({1, 1}) == 0);
    CHECK(driver.runs_of({2, 2}) >= 2);
  }
}

TEST_CASE("walk: what is left of a batch whose assignment has failed is no retake") {
  World world = later_is_shorter({3, 3});
  world.feasible = [](const Assignment& a) { return a[0] != 1 || a[1] != 1; };
  const Tuned driver({.search = SearchLevel::off, .one_assignment_per_batch = true}, world);
  CHECK(driver.runs_of({1, 1}) > 1);  // a batch
  CHECK(driver.state.retakes() == 0);
}

TEST_CASE("walk: the first run of an assignment ends its batch, also within a config") {
  World world = one_lags_behind();
  world.feasible = [](const Assignment& a) { return a[0] != a[1] || a[0] != 1; };
  const Tuned driver({.n_warmup = 1, .n_repeat = 3}, world);
  CHECK(driver.runs_of({1, 1}) == 1);
  std::set<Assignment> known{{0, 0}};  // which runs before the problems are known
  for (const std::vector<IterationPlan>& batch : driver.batches) {
    for (const IterationPlan& iteration : batch) {
      const bool is_new = known.insert(assignment_of(iteration)).second;
      CHECK((!is_new || batch.size() == 1));
    }
  }
}

TEST_CASE("search: defaults that `feasible` rules out run once, before the problems are known") {
  const PolicyOptions options{
      .feasible = [](const Assignment& a) { return a.size() < 2 || a[0] + a[1] > 0; }};
  const Tuned driver(options, later_is_shorter({3, 3}));
  CHECK(driver.choice() == Assignment{2, 2});
  CHECK(driver.runs_of({0, 0}) == 1);
  const SearchRecord& record = driver.state.searches().front();
  CHECK(record.reference == Reference::first_feasible);
  CHECK(record.failed >= 1);
  CHECK(text(driver.state.infeasible().at({0, 0})) == "ruled out by `feasible`");
  CHECK(record.compared_with != Assignment{0, 0});
  CHECK_FALSE(record.gain);
}

TEST_CASE("search: where the best own times are ruled out together, makespans decide") {
  World world{{3, 3}, [](const Assignment& a) {
                return 100'000 - 3000 * static_cast<int>(a[0]) + 4000 * static_cast<int>(a[1]);
              }};
  world.overlaps = [](std::size_t) { return false; };
  world.time_ns = [](std::size_t p, std::size_t config) {
    return p == 0 ? 9000 - 1000 * static_cast<int>(config) : 5000 + 1000 * static_cast<int>(config);
  };
  PolicyOptions options;
  options.feasible = [](const Assignment& a) { return a != Assignment{2, 0}; };  // not on the diagonal
  const Tuned driver(options, world);
  CHECK(driver.choice() == Assignment{1, 0});
  CHECK(driver.runs_of({2, 0}) == 0);
  CHECK(driver.state.searches().front().members == std::vector<std::size_t>{0, 1});
}

TEST_CASE("walk: where the best own times are ruled out together, the one that loses least gives way") {
  World world = later_is_shorter({1, 3, 3});
  world.time_ns = [](std::size_t p, std::size_t config) {
    return p == 1 ? 9000 - 1000 * static_cast<int>(config) : 5000 + 1500 * static_cast<int>(config);
  };
  const PolicyOptions options{.search = SearchLevel::off, .feasible = [](const Assignment& a) {
                                return a != Assignment{0, 2, 0} && a != Assignment{0, 1, 0};
                              }};
  const Tuned driver(options, world);
  CHECK(driver.choice() == Assignment{0, 2, 1});  // {0, 0, 0} would lose 2000 ns
  CHECK_THAT(text(driver.state.problem(2).reason), ContainsSubstring("ruled out together by `feasible`"));
}

TEST_CASE("final run: of choices that are wrong together one gives way, and at last all of them") {
  for (const SearchLevel level : {SearchLevel::off, SearchLevel::normal}) {
    Tuned driver({.search = level, .one_assignment_per_batch = true}, later_is_shorter({3, 3}));
    REQUIRE(driver.choice() == Assignment{2, 2});
    CHECK(driver.state.reject_choices("wrong", Replacement::next_best));
    const Assignment next = driver.choice();
    CHECK(next[0] + next[1] == 3);
    CHECK(text(driver.state.infeasible().at({2, 2})) == "wrong");
    CHECK_THAT(text(driver.state.problem(next[0] == 1 ? 0 : 1).reason), ContainsSubstring("wrong"));
    CHECK(driver.state.reject_choices("wrong", Replacement::next_best));
    CHECK(driver.choice() != next);
    CHECK(driver.choice() != Assignment{2, 2});
    CHECK(driver.state.reject_choices("wrong", Replacement::first_that_was_right));
    CHECK(driver.choice() == Assignment{0, 0});
  }
}

TEST_CASE("walk: where no config alone can give way, what ran first takes its place") {
  World world = later_is_shorter({3, 3, 3});
  world.time_ns = [](std::size_t p, std::size_t config) { return config == 2 - p ? 8000 : 9000; };
  const PolicyOptions options{.search = SearchLevel::off, .feasible = [](const Assignment& a) {
                                return a.size() < 3 || (a[0] == a[1] && a[1] == a[2]);
                              }};
  const Tuned driver(options, world);
  CHECK(driver.choice() == Assignment{0, 0, 0});  // instead of {2, 1, 0}
  CHECK_THAT(text(driver.state.problem(1).reason), ContainsSubstring("ruled out together by `feasible`"));
}

TEST_CASE("search: what the walk left out is tried by makespan, also where nothing overlaps") {
  World world = later_is_shorter({3, 3});
  world.overlaps = [](std::size_t) { return false; };
  world.feasible = [](const Assignment& a) { return a != Assignment{2, 2}; };
  const Tuned driver({}, world);
  CHECK(driver.choice()[0] + driver.choice()[1] == 3);
  CHECK(driver.runs_of({2, 2}) == 1);
}

TEST_CASE("search: where everything is ruled out nothing is locked in") {
  for (const bool overlaps : {false, true}) {
    World world = later_is_shorter({3, 3});
    world.overlaps = [overlaps](std::size_t) { return overlaps; };
    const Tuned driver({.feasible = [](const Assignment&) { return false; }}, world);
    CHECK_THAT(text(driver.state.failure()), ContainsAll("no feasible assignment was found",
                                                         "; `feasible` rules out what they would try first"));
    CHECK(driver.runs == 1);
    CHECK(driver.state.problem(0).status == ProblemStatus::provisional);
  }
}

TEST_CASE("search: where the only assignment is ruled out, there is no choice") {
  const Tuned driver({.feasible = [](const Assignment&) { return false; }}, later_is_shorter({1, 1}));
  CHECK_THAT(text(driver.state.failure()), ContainsSubstring("no feasible assignment was found"));
  CHECK(only(driver.state.searches()).choice.empty());
}

TEST_CASE("search: an assignment is given up after three runs in a row without a time") {
  World world = later_is_shorter({1, 2});
  world.timed = [](std::int64_t run) { return run < 20 || run % 4 != 0; };  // one of four has none
  const Tuned driver({}, world);
  CHECK(driver.state.failure().empty());
  CHECK(driver.state.infeasible().empty());
  CHECK(driver.choice() == Assignment{0, 1});

  world.timed = [](std::int64_t run) { return run < 20; };
  const Tuned without({}, world);
  REQUIRE_FALSE(without.state.infeasible().empty());
  for (const auto& [assignment, reason] : without.state.infeasible()) {
    CHECK(text(reason) == "no valid time in 3 runs in a row");
  }
}

TEST_CASE("search: quick races by own time until a makespan is known") {
  const PolicyOptions options{.search = SearchLevel::quick};
  World world = later_is_shorter({3, 3});
  world.timed = [](std::int64_t run) { return run > 2; };  // as after a fallback
  const Tuned late(options, world);
  CHECK(late.state.walk_iterations() == 3);
  CHECK(late.choice() == Assignment{2, 2});
  CHECK(late.state.searches().front().members == std::vector<std::size_t>{0, 1});

  TuningState never(options);
  tune(never, {3},
       {[](std::size_t, const Assignment& a) { return 100 - std::int64_t(a[0]); },
        [](const Assignment&) { return std::int64_t{0}; }});
  CHECK(never.problem(0).status == ProblemStatus::locked_in);
  CHECK_FALSE(never.problem(0).configs[2].samples_ns.empty());
}

TEST_CASE("walk: what `feasible` has ruled out on the way is listed, also without a search") {
  const PolicyOptions options{.search = SearchLevel::off, .feasible = [](const Assignment& a) {
                                return a.size() < 2 || a[0] != 1 || a[1] != 1;
                              }};
  const Tuned driver(options, later_is_shorter({3, 3}));
  CHECK(driver.state.infeasible() == std::map<Assignment, Reason>{{{1, 1}, Why::ruled_out}});
}

TEST_CASE("walk: a problem that a failed run has not launched takes no part of the blame") {
  World world = later_is_shorter({3, 3});
  world.feasible = [](const Assignment& a) { return a != Assignment{1, 1}; };
  PolicyOptions options;
  const Tuned both(options, world);
  const std::int64_t failed =
      std::find(both.all.begin(), both.all.end(), Assignment{1, 1}) - both.all.begin();
  world.skips = [failed](std::int64_t run, std::size_t problem) { return run == failed + 1 && problem == 1; };
  const Tuned one(options, world);
  CHECK_FALSE(both.state.problem(0).configs[1].rejection);
  CHECK(text(one.state.problem(0).configs[1].rejection) == "stuck");
  CHECK_FALSE(one.state.problem(1).configs[1].rejection);
}

TEST_CASE("search: one that goes on planning what is ruled out is cut, and none of that is run") {
  ScriptedRun run({3, 200, 200}, {}, Assignment{0, 0, 0});
  for (std::size_t planned = 0; planned < 120'000; ++planned) {
    run.script->batches.push_back({{{planned % 3, planned / 3 % 200, planned / 600}, 1}});
  }
  run.options.search = SearchLevel::quick;
  run.options.feasible = [](const Assignment& a) { return a.size() < 3 || (a[1] == 0 && a[2] == 0); };
  run.world.makespan_ns = [](const Assignment&) { return 100'000; };
  const Driver& driver = run.finish();
  CHECK_THAT(text(run.record().cut), ContainsSubstring("ruled out by `feasible`"));
  CHECK(std::all_of(driver.all.begin(), driver.all.end(), run.options.feasible));
}

}  // namespace contextual::policy::test::ruled_out_test
