// What the state makes of the trials that a search plans, and what it says of them.

#include "unit/policy/reason_words.hpp"
#include "unit/policy/scripted_search.hpp"

namespace contextual::policy::test::search_bookkeeping_test {

namespace {

/// What the runs of this plan give where each problem has own times of 9, 8 and 7.
BatchOutcome outcome_of(const std::vector<IterationPlan>& plans) {
  BatchOutcome outcome;
  for (const IterationPlan& run : plans) {
    outcome.iterations.push_back(run_region(additive_region({{9, 8, 7}, {9, 8, 7}}), assignment_of(run)));
  }
  return outcome;
}

std::int64_t longer_with_each(std::size_t /*problem*/, std::size_t config) {
  return 8000 + 1000 * static_cast<std::int64_t>(config);
}

}  // namespace

TEST_CASE("search: where nothing can run any more, the built-in search is not accused of what it chose") {
  for (int last = 1; last < 60; ++last) {
    CAPTURE(last);
    int run = 0;
    World world = later_is_shorter({3, 4});
    world.feasible = [&](const Assignment&) { return ++run <= last; };
    CHECK_NOTHROW(Tuned(PolicyOptions{}, world));
  }
}

TEST_CASE("search: own times of the walk and every assignment of it are handed to the search") {
  ScriptedRun run({2, 3});
  run.finish();
  const SearchRequest& request = only(run.script->requests);
  REQUIRE(request.problems.size() == 2);
  CHECK(request.problems[1].configs[0].time_ns == 9000);
  CHECK(request.problems[1].configs[2].time_ns == 7000);
  CHECK(request.problems[0].configs.size() == 2);
  CHECK(request.start == Assignment{1, 2});
  CHECK(request.walked.size() == 3);
  CHECK(request.max_runs == 400 - 9 - 1);  // the walk, and the run before a closing comparison
  for (const SearchSample& sample : request.walked) {
    CHECK(sample.runs.size() == 1);  // a batch of a warm-up, then one that begins with a lead-in
  }
}

TEST_CASE("search: the walk hands over the samples after the warm-ups, but of whole runs, and its budget") {
  struct Row {
    std::string name;
    std::optional<std::size_t> loses_time;
    std::optional<std::size_t> skips;
  };
  for (const Row& row :
       {Row{"a time is missing", 0, std::nullopt}, Row{"one is not launched", std::nullopt, 0},
        Row{"the other one is not launched", std::nullopt, 1}}) {
    CAPTURE(row.name);
    ScriptedRun run({2, 2});
    run.options = {};
    run.options.search_factory = scripted_search(run.script);
    run.world.loses_time = [&](std::int64_t i, std::size_t p) { return i == 6 && row.loses_time == p; };
    run.world.skips = [&](std::int64_t i, std::size_t p) { return i == 6 && row.skips == p; };
    const Driver& driver = run.finish();
    const SearchRequest& request = only(run.script->requests);
    REQUIRE(request.walked.size() == 2);
    CHECK(request.walked[0].assignment == Assignment{0, 0});
    CHECK(request.walked[0].runs.size() == 4);
    CHECK(request.max_runs == 400 - driver.state.walk_iterations() - 26);
  }
}

TEST_CASE("search: one sample of a config in the walk is an own time") {
  ScriptedRun run({2, 2});
  run.options.n_repeat = 1;
  run.finish();
  CHECK(only(run.script->requests).problems[0].configs[1].time_ns == 8000);
}

TEST_CASE("search: it is told no makespan of the walk right after an exchange or a change of configs") {
  ScriptedRun run({2, 3});  // whose only warm-up is the first run, a batch of its own
  run.world.skew_ns = 50'000;
  run.finish();
  const std::vector<SearchSample>& walked = run.script->requests.front().walked;
  CHECK(walked.size() == 3);
  for (const SearchSample& sample : walked) {
    CHECK_FALSE(sample.runs.empty());
    for (const SearchRun& walk_run : sample.runs) {
      CHECK(walk_run.makespan_ns <= 100'000);
    }
  }
}

TEST_CASE("search: a batch holds whole trials, of assignments that are known to run") {
  const std::deque<std::vector<SearchTrial>> batches = {{{{0, 0}, 2}, {{1, 1}, 2}, {{0, 1}, 2}}};
  ScriptedRun run({2, 2}, batches, Assignment{1, 1});
  Driver& driver = run.until_search();
  CHECK(driver.state.suggested_length() == 6);
  driver.run_batch();
  CHECK(driver.state.suggested_length() == 1);  // {0, 1} has not run yet
  driver.run_batch();
  CHECK(driver.state.suggested_length() == 3);
  driver.finish();
  REQUIRE(run.script->observed.size() == 4);
  CHECK(run.script->observed[0].runs.size() == 3);
  CHECK(run.script->observed[2].trial == SearchTrial{{0, 1}, 0});
  CHECK(run.record().runs == 10);
  CHECK(run.record().lead_ins == 4);
}

TEST_CASE("search: what it plans although `feasible` rules it out is answered without a run") {
  ScriptedRun run({2, 2}, {{{{0, 1}, 1}}, {{{1, 1}, 1}}}, Assignment{1, 1});
  run.options.feasible = [](const Assignment& a) { return a != Assignment{0, 1}; };
  CHECK(run.finish().runs_of({0, 1}) == 0);
  const SearchScript& script = *run.script;
  REQUIRE(script.observed.size() == 2);
  CHECK(script.observed.front().infeasible);
  CHECK(script.observed.front().runs.empty());
  CHECK_FALSE(script.requests.front().feasible({0, 1}));
  CHECK(script.requests.front().feasible({1, 1}));
}

TEST_CASE("search: a run without a time of each member is no sample, and is counted") {
  ScriptedRun run({2, 2}, {{{{1, 1}, 4}}}, Assignment{1, 1});
  std::int64_t lost = -1;
  run.world.loses_time = [&lost](std::int64_t i, std::size_t problem) { return i == lost && problem == 1; };
  Driver& driver = run.until_search();
  lost = driver.runs + 2;  // the first one after the lead-in
  const std::int64_t retakes = driver.state.retakes();
  driver.run_batch();
  const std::vector<SearchRun>& runs = only(run.script->observed).runs;
  CHECK_FALSE(runs[1].makespan_ns);
  CHECK(runs[1].times_ns[0] == 8000);
  CHECK(runs[2].makespan_ns == 94'000);
  CHECK(driver.state.retakes() == retakes + 1);
  driver.finish();
  CHECK(only(run.record().measured).makespan.count == 3);
}

TEST_CASE("search: a run whose launches are not timed is a sample") {
  ScriptedRun run({2, 2}, {{{{1, 1}, 4}}}, Assignment{1, 1});
  std::int64_t last_of_walk = 0;
  run.world.untimed = [&](std::int64_t i) { return i > last_of_walk && last_of_walk > 0; };
  Driver& driver = run.until_search();
  last_of_walk = driver.runs;
  driver.run_batch();
  const SearchRun& sample = only(run.script->observed).runs[1];
  CHECK(sample.makespan_ns == 94'000);
  CHECK_FALSE(sample.times_ns[0]);
  driver.finish();
  CHECK(driver.choice() == Assignment{1, 1});
  CHECK(run.record().measured.front().makespan.count == 4);
  CHECK(driver.state.retakes() == 0);
}

TEST_CASE("search: a run that does not launch each member is no sample") {
  ScriptedRun run({2, 2}, {{{{1, 1}, 4}}}, Assignment{1, 1});
  std::int64_t skipping = -1;
  run.world.skips = [&](std::int64_t i, std::size_t problem) { return i == skipping && problem == 1; };
  Driver& driver = run.until_search();
  skipping = driver.runs + 3;
  driver.run_batch();
  CHECK(only(run.script->observed).runs[1].makespan_ns);
  CHECK_FALSE(run.script->observed[0].runs[2].makespan_ns);
}

TEST_CASE("search: a run that launches others than usual is no sample, until that is usual") {
  ScriptedRun run({2, 2, 2}, {{{{1, 1}, 9}}}, Assignment{1, 1});
  run.world.overlaps = [](std::size_t problem) { return problem != 2; };  // not a member of the search
  std::int64_t begin = 1'000'000;
  run.world.skips = [&begin](std::int64_t i, std::size_t problem) {
    return problem == 2 && (i == begin + 2 || (i >= begin + 5 && i != begin + 8));
  };
  Driver& driver = run.until_search();
  begin = driver.runs + 1;
  driver.run_batch();
  REQUIRE(run.script->observed.size() == 1);
  std::vector<bool> samples;
  for (const SearchRun& observed : run.script->observed[0].runs) {
    samples.push_back(observed.makespan_ns.has_value());
  }
  CHECK(samples == std::vector<bool>{true, true, false, true, true, false, false, true, false, true});
}

TEST_CASE("search: a config that fails where nothing else is open is rejected") {
  ScriptedRun run({3}, {{{{1}, 2}}}, Assignment{0});
  bool failing = false;
  run.world.feasible = [&failing](const Assignment& a) { return !failing || a[0] != 1; };
  run.until_search();
  failing = true;
  const Driver& driver = run.finish();
  REQUIRE(driver.state.problem(0).configs[1].rejection);
  CHECK(text(driver.state.problem(0).configs[1].rejection) == "stuck");
  CHECK(driver.state.infeasible().empty());
}

TEST_CASE("search: an observation says whether its lead-in came right after an exchange") {
  ScriptedRun run({2, 2}, {{{{0, 0}, 1}, {{1, 1}, 1}}}, Assignment{1, 1});
  run.finish();
  REQUIRE(run.script->observed.size() == 2);
  CHECK(run.script->observed[0].after_exchange);
  CHECK_FALSE(run.script->observed[1].after_exchange);
}

TEST_CASE("search: a lead-in without a time is no retake") {
  ScriptedRun run({2, 2}, {{{{1, 1}, 1}}}, Assignment{1, 1});
  std::int64_t lost = -1;
  run.world.timed = [&lost](std::int64_t i) { return i != lost; };
  Driver& driver = run.until_search();
  lost = driver.runs + 1;
  driver.run_batch();
  CHECK(driver.state.retakes() == 0);
  CHECK(run.script->observed.size() == 1);
}

TEST_CASE("search: the runs of one that a new problem interrupts are retakes") {
  ScriptedRun run({2, 2, 2}, {{{{1, 1}, 3}}, {{{0, 0}, 3}}}, Assignment{1, 1});
  run.world.joins_at = 10;
  Driver& driver = run.until_search();
  driver.run_batch();
  CHECK(driver.runs == 10);
  CHECK(driver.state.retakes() == 0);
  driver.run_batch();  // the new problem is launched
  CHECK(driver.state.problem_count() == 3);
  CHECK(driver.state.retakes() == 4);
}

TEST_CASE("search: a choice that fails in the closing comparison gives way to the search's next") {
  World world = only_together();
  const Tuned undisturbed({}, world);
  const std::int64_t last =
      undisturbed.runs_of({3, 3}) - 2;  // in the comparison, which ends with ten of them
  std::int64_t runs = 0;
  world.feasible = [&](const Assignment& a) { return a != Assignment{3, 3} || ++runs < last; };
  const Tuned driver({}, world);
  CHECK(driver.runs_of({3, 3}) == last);
  REQUIRE(driver.state.infeasible().size() == 1);
  CHECK(driver.state.infeasible().begin()->first == Assignment{3, 3});
  CHECK(driver.choice() != Assignment{3, 3});
  CHECK(driver.state.searches().front().failed == 1);
  for (const MeasuredAssignment& measured : driver.state.searches().front().measured) {
    CHECK(measured.assignment != Assignment{3, 3});
  }
}

TEST_CASE("search: defaults that fail in the closing comparison give way to what ran first") {
  World world{{3, 3}, [](const Assignment& a) { return 100'000 - 9000 * static_cast<int>(a[0]); }};
  const Tuned undisturbed({}, world);
  const std::int64_t last = undisturbed.runs_of({0, 0}) - 2;
  std::int64_t runs = 0;
  world.feasible = [&](const Assignment& a) { return a != Assignment{0, 0} || ++runs < last; };
  const Tuned driver({}, world);
  CHECK(driver.runs_of({0, 0}) == last);
  CHECK(driver.choice()[0] == 2);
  const SearchRecord& record = driver.state.searches().front();
  CHECK(record.reference == Reference::first_feasible);
  CHECK(record.compared_with == Assignment{1, 1});
  CHECK_FALSE(record.gain);
}

TEST_CASE("search: the closing comparison has as many rounds as the option says") {
  for (const int rounds : {0, 1, 2, 7}) {
    CAPTURE(rounds);
    ScriptedRun run({2, 2}, {}, Assignment{1, 1});
    run.options.closing_rounds = rounds;
    CHECK(run.finish().choice() == Assignment{1, 1});
    const SearchRecord& record = run.record();
    CHECK(record.runs == 4 * rounds);
    CHECK((record.reference == Reference::defaults) == (rounds > 0));
    CHECK(record.reference_makespan.count == static_cast<std::size_t>(rounds));
    CHECK(record.choice_makespan.count == static_cast<std::size_t>(rounds));
    CHECK(record.gain.has_value() == (rounds > 1));
  }
}

TEST_CASE("search: what its own time has chosen keeps the reason for it") {
  World world = later_is_shorter({3, 3, 3});
  world.overlaps = [](std::size_t problem) { return problem < 2; };
  const Tuned driver({}, world);
  CHECK(driver.choice() == Assignment{2, 2, 2});
  CHECK_THAT(text(driver.state.problem(2).reason), ContainsSubstring("fastest by own time"));
  CHECK_THAT(text(driver.state.problem(2).reason), !ContainsSubstring("makespan"));
}

TEST_CASE("search: what is exactly as long as the defaults ties with them") {
  ScriptedRun run({2, 2}, {}, Assignment{1, 1});
  run.options.closing_rounds = 3;
  run.world.makespan_ns = [](const Assignment&) { return 50'000; };
  CHECK(run.finish().choice() == Assignment{0, 0});
  const SearchRecord& record = run.record();
  CHECK(text(record.reason) == "the best candidate ties with the defaults: they win");
  REQUIRE(record.gain);
  CHECK(record.gain->centre == 0);
  CHECK(record.choice_makespan.centre_ns == 50'000);
}

TEST_CASE("search: a choice is kept if it is shorter by the smaller of tie margin and noise") {
  for (const std::int64_t makespan_ns : {99'700, 99'400}) {
    ScriptedRun run({2, 2}, {}, Assignment{1, 1});
    run.options.closing_rounds = 4;
    run.world.makespan_ns = [=](const Assignment& a) { return a[0] == 1 ? makespan_ns : 100'000; };
    CHECK(run.finish().choice() == Assignment{1, 1});  // without noise: any gain counts
    const auto& gain = run.record().gain;
    CHECK(std::abs(gain->centre - static_cast<double>(100'000 - makespan_ns) / 100'000) < 1e-6);
    CHECK(gain->low <= gain->centre);
    CHECK(gain->high >= gain->centre);
  }
}

TEST_CASE("search: the record says what own times would have cost, and what is within the noise") {
  ScriptedRun run({2, 2}, {{{{0, 0}, 3}, {{1, 1}, 3}}, {{{0, 1}, 3}}, {{{1, 0}, 3}}}, Assignment{1, 1});
  run.world.time_ns = longer_with_each;
  run.world.makespan_ns = [](const Assignment& a) {
    return a == Assignment{0, 0} ? 120'000 : a == Assignment{1, 0} ? 100'200 : a[0] == 0 ? 101'000 : 100'000;
  };
  run.finish();
  const SearchRecord& record = run.record();
  CHECK(record.by_own_time == Assignment{0, 0});
  REQUIRE(record.cost_of_own_time);
  CHECK(std::abs(*record.cost_of_own_time - 0.2) < 1e-9);
  CHECK(record.measured.size() == 4);
  CHECK(record.within_noise == std::vector<Assignment>{{1, 0}});
}

TEST_CASE("search: one sample alone is not said to be within the noise") {
  for (const int samples : {1, 2}) {
    ScriptedRun run({2, 2}, {{{{1, 1}, 3}}, {{{1, 0}, samples}}}, Assignment{1, 1});
    run.world.makespan_ns = [](const Assignment&) { return 100'000; };
    run.finish();
    CHECK(run.record().within_noise.size() == static_cast<std::size_t>(samples - 1));
  }
}

TEST_CASE("search: one sample each says what own times would have cost, and without it nothing is said") {
  for (const bool measured : {false, true}) {
    ScriptedRun run({2, 2}, {{{{1, 1}, 1}}}, Assignment{1, 1});
    if (measured) {
      run.script->batches.push_front({{{0, 0}, 1}});
    }
    run.world.time_ns = longer_with_each;
    run.finish();
    const std::optional<double>& cost = run.record().cost_of_own_time;
    REQUIRE(cost.has_value() == measured);
    CHECK((!measured || std::abs(*cost - 6.0 / 94) < 1e-9));
  }
}

TEST_CASE("search: one that has measured nothing leaves what the walk chose") {
  ScriptedRun run({2, 2});
  const Driver& driver = run.finish();
  CHECK(driver.choice() == Assignment{1, 1});
  CHECK(text(run.record().reason) == "nothing was measured");
  CHECK(driver.state.problem(0).status == ProblemStatus::locked_in);
}

TEST_CASE("search: a rejection is told to it, and the closing comparison begins anew if it is of a side") {
  for (const std::size_t rejected : {0, 1, 2}) {
    CAPTURE(rejected);
    ScriptedRun run({3, 3}, {{{{1, 1}, 1}}}, Assignment{1, 1});
    run.options.closing_rounds = 3;
    Driver& driver = run.until_search();
    driver.run_batch();
    driver.run_batch();  // the first round of the comparison
    if (rejected == 1) {
      run.script->best = Assignment{2, 1};
      run.script->batches = {{{{2, 1}, 1}}};
    }
    driver.state.reject({{0, rejected, 0, "planted"}});
    CHECK(run.script->rejected == std::vector<std::pair<std::size_t, std::size_t>>{{0, rejected}});
    driver.finish();
    CHECK((rejected != 1 || driver.choice() == Assignment{2, 1}));
    const SearchRecord& record = run.record();
    CHECK(record.runs == (rejected == 2 ? 14 : rejected == 1 ? 21 : 19));  // the new side has not run before
    CHECK(record.choice_makespan.count == 3);
    CHECK(record.compared_with[0] != rejected);
    for (const MeasuredAssignment& measured : record.measured) {
      CHECK(measured.assignment[0] != rejected);
    }
  }
}

TEST_CASE("search: its budget cuts it, and the best so far is locked in") {
  ScriptedRun run({2, 2}, std::deque<std::vector<SearchTrial>>(1000, {{{1, 1}, 1}}), Assignment{1, 1});
  run.options.search_runs = 41;
  const Driver& driver = run.finish();
  CHECK(driver.runs == 40);  // one is kept for the closing comparison
  CHECK(text(run.record().cut) == "its budget of 34 runs is spent");
  CHECK_THAT(text(driver.state.problem(0).reason),
             ContainsSubstring("(cut: its budget of 34 runs is spent)"));

  ScriptedRun little({2, 2}, {{{{1, 1}, 1}}, {{{1, 1}, 1}}}, Assignment{1, 1});
  little.options.search_runs = 4;  // less than the walk takes
  CHECK(little.finish().state.search_iterations() == 2);
}

TEST_CASE("search: it is told nothing of what ran beside a choice that fails in the comparison") {
  ScriptedRun run({2, 2}, {{{{1, 1}, 1}}}, Assignment{1, 1});
  run.options.closing_rounds = 3;
  bool failing = false;
  run.world.feasible = [&failing](const Assignment& a) { return !failing || a != Assignment{1, 1}; };
  Driver& driver = run.until_search();
  driver.run_batch();
  driver.run_batch();  // the first round of the comparison; the second one begins with the choice
  failing = true;
  run.script->batches = {{{{0, 1}, 1}}};
  driver.run_batch();
  REQUIRE(run.script->observed.size() == 2);
  CHECK(run.script->observed[1].trial.assignment == Assignment{1, 1});
  CHECK(run.script->observed[1].infeasible);
}

TEST_CASE("search: it is told nothing of a round of the comparison in which the choice is rejected") {
  ScriptedRun run({3, 3}, {{{{1, 1}, 1}}}, Assignment{1, 1});
  run.options.closing_rounds = 3;
  Driver& driver = run.until_search();
  driver.run_batch();
  const std::vector<IterationPlan> round = driver.state.plan(driver.state.suggested_length());
  BatchOutcome outcome = outcome_of(round);
  outcome.rejections = {{0, 1, 0, "planted"}};
  run.script->batches = {{{{2, 1}, 1}}};
  driver.state.observe(round, outcome);
  CHECK(run.script->rejected.size() == 1);
  REQUIRE(run.script->observed.size() == 2);
  CHECK(run.script->observed[1].infeasible);
  CHECK(run.script->observed[1].runs.empty());
}

TEST_CASE("search: a trial in which one of its configs is rejected has no makespan") {
  ScriptedRun run({3, 3}, {{{{1, 1}, 1}}});
  Driver& driver = run.until_search();
  const std::vector<IterationPlan> trial = driver.state.plan(driver.state.suggested_length());
  BatchOutcome outcome = outcome_of(trial);
  outcome.rejections = {{0, 1, 1, "planted"}};  // after the lead-in
  driver.state.observe(trial, outcome);
  REQUIRE(run.script->observed.size() == 1);
  REQUIRE(run.script->observed[0].runs.size() == 2);
  CHECK(run.script->observed[0].runs[0].makespan_ns == 16);
  CHECK_FALSE(run.script->observed[0].runs[1].makespan_ns);
}

TEST_CASE("search: an outcome of an earlier plan of it is refused") {
  ScriptedRun run({2, 2}, {{{{0, 0}, 1}}, {{{1, 1}, 1}}}, Assignment{1, 1});
  Driver& driver = run.until_search();
  const std::vector<IterationPlan> earlier = driver.state.plan(driver.state.suggested_length());
  driver.run_batch();
  CHECK_THROWS_WITH(driver.state.observe(earlier, outcome_of(earlier)),
                    ContainsSubstring("not the state's current one"));
}

TEST_CASE("state: at most what the budget leaves remains, without the final run") {
  Driver driver({}, only_together());
  CHECK(driver.state.suggested_length() == 1);
  driver.run_batch();
  constexpr int budget = 400;
  constexpr int comparison = 20;
  CHECK(driver.state.most_remaining_iterations() == budget - 1 - 1);
  driver.finish();
  CHECK(driver.state.most_remaining_iterations() == 0);

  PolicyOptions options{.search = SearchLevel::off};
  Driver walk(options, only_together());
  walk.run_batch();
  CHECK(walk.state.most_remaining_iterations() == 31);
  options.max_iterations = 10;
  Driver capped(options, only_together());
  capped.run_batch();
  CHECK(capped.state.most_remaining_iterations() == 9);

  World alone = only_together();
  alone.overlaps = [](std::size_t) { return false; };
  Driver by_own_time({}, alone);
  by_own_time.run_batch();
  CHECK(by_own_time.state.most_remaining_iterations() == 31 + comparison);
}

TEST_CASE("state: one config is worth no search") {
  Driver driver({}, later_is_shorter({1}));
  driver.run_batch();
  CHECK(driver.state.most_remaining_iterations() == 7);
}

TEST_CASE("state: a search says how many runs it can still take, and comparisons may take 3/4 of all") {
  ScriptedRun run({2, 2}, {{{{1, 1}, 3}}}, Assignment{1, 1});
  run.options.closing_rounds = 2;
  Driver& driver = run.until_search();
  CHECK(driver.state.most_remaining_iterations() == 4 + 300);
  driver.run_batch();
  CHECK(driver.state.most_remaining_iterations() == 300);
  driver.run_batch();
  CHECK(driver.state.most_remaining_iterations() == 296);
  driver.finish();
  CHECK(run.record().runs == 12);
}

TEST_CASE("state: no more iterations come than were said to be left, however noisy the makespans are") {
  for (const std::size_t configs : {2, 3, 5}) {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      INFO(configs << " configs, seed " << seed);
      World world = later_is_shorter({configs, 2});
      std::uint32_t random = seed;
      world.makespan_ns = [&random](const Assignment& assignment) {
        random = random * 1'664'525 + 1'013'904'223;
        return 100'000 - 500 * static_cast<std::int64_t>(assignment[0]) +
               static_cast<std::int64_t>(random >> 20U);
      };
      Driver driver({}, world);
      driver.run_batch();
      std::vector<std::int64_t> said;
      while (!driver.state.done()) {
        said.push_back(driver.state.iterations() + driver.state.most_remaining_iterations());
        driver.run_batch();
      }
      CHECK(*std::min_element(said.begin(), said.end()) >= driver.state.iterations());
    }
  }
}

TEST_CASE("state: a problem that waits for the search need not be launched while others walk") {
  World world = later_is_shorter({2, 6});
  world.skips = [](std::int64_t run, std::size_t problem) { return problem == 0 && run > 16 && run <= 48; };
  const Tuned driver({}, world);
  CHECK(driver.state.walk_iterations() == 48);
  CHECK(driver.state.problem(0).status == ProblemStatus::locked_in);
}

TEST_CASE("state: what an earlier run locked in is used as the best config in the search, too") {
  Driver driver({}, later_is_shorter({2, 3}));
  driver.state.add_problem({2, {}, 1});
  driver.run_batch();  // launches the other one
  driver.finish();
  CHECK(driver.state.search_iterations() > 0);
  for (const std::vector<IterationPlan>& batch : driver.batches) {
    for (const IterationPlan& iteration : batch) {
      CHECK(cell_text(iteration.cells.front()) == "best-config");
      CHECK(iteration.cells.front().config_id == 1);
    }
  }
}

TEST_CASE("state: a failure in the batch in which a problem joins says nothing of the others alone") {
  World world = later_is_shorter({3, 3, 3});
  world.joins_at = 30;  // in the search, whose plan knows two problems
  std::int64_t runs = 0;
  world.feasible = [&runs](const Assignment&) { return ++runs != 31; };
  const Tuned driver({}, world);
  for (const auto& [assignment, reason] : driver.state.infeasible()) {
    CHECK(assignment.size() == 3);
  }
  CHECK(driver.choice() == Assignment{2, 2, 2});
}

}  // namespace contextual::policy::test::search_bookkeeping_test
