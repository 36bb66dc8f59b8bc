/// \file
/// A `run` with nothing to tune: one run of the region, without a timer, a log or a thread.

#include "support/scoped_rank.hpp"
#include "unit/tuning/breakable_ranks.hpp"
#include "unit/tuning/changed_options.hpp"

namespace contextual::test::plain_run_test {

namespace {

/// Counts the timers that are made of it.
TimerFactory counted(TimerFactory factory, std::atomic<int>& count) {
  return [factory = std::move(factory), &count] {
    ++count;
    return factory();
  };
}

/// Each rank runs a region of this name twice; what came of the second run.
test::RankRuns second_runs(int ranks, const std::string& name,
                           const std::function<void(int rank, bool second)>& region) {
  test::RankRuns outcome{{},
                         std::vector<RegionReport>(static_cast<std::size_t>(ranks)),
                         std::vector<int>(static_cast<std::size_t>(ranks))};
  outcome.thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner) {
    tuner.run(name, [&] { region(rank, false); });
    tuner.run(name, [&] { ++outcome.runs[rank], region(rank, true); });
    outcome.reports[rank] = report_of(tuner, name);
  });
  return outcome;
}

/// Collectives of `ranks` ranks in a second run of a region, without those of its first.
testing::ScriptedTraffic traffic_of_second_run(int ranks) {
  testing::ScriptedWorld world(ranks);
  testing::ScriptedTraffic before;
  TunableKernel kernel{"settled_traffic", blocks(3), single_problem, [](const Block&) {}};
  const auto run = [&](const std::shared_ptr<Communicator>& communicator, ContextualAutotuner& tuner) {
    tuner.run("settled_traffic", [&] { kernel(); });
    communicator->all_gather("", Deadline::after(std::chrono::seconds(20)));  // all have ended the run
  };
  check_well(world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    ContextualAutotuner tuner(rank_options(communicator));
    run(communicator, tuner);
    if (rank == 0) {
      before = world.traffic();
    }
    communicator->all_gather("", Deadline::after(std::chrono::seconds(20)));
    run(communicator, tuner);
  }));
  testing::ScriptedTraffic after = world.traffic();
  after.collectives -= before.collectives + 2;  // the gathers above
  after.reduces -= before.reduces;
  return after;
}

}  // namespace

TEST_CASE("holds 19: a run with nothing to tune is one run of the region between its hooks, and no more") {
  const TemporaryDirectory directory;
  std::atomic<int> timers{0};
  std::vector<std::string> steps;
  Options options = quick(counted(last_is_fastest(), timers));
  options.log_directory = directory.path();
  options.before_iteration = [&](const IterationInfo& info) {
    steps.push_back("before " + std::string(to_string(info.phase)));
  };
  options.after_iteration = [&](const IterationInfo& info) {
    steps.push_back("after " + std::string(to_string(info.phase)));
  };
  OneKernel one("settled", 3, {}, options);
  one.in_launch = [&](const Block&) { steps.emplace_back("launch"); };
  one.run();
  const std::string log = text_of_file(directory.path() / "rank-0.jsonl");
  REQUIRE(timers == 1);
  steps.clear();

  CHECK(one.run() == 2);
  CHECK(steps == std::vector<std::string>{"before final", "launch", "after final"});
  CHECK(timers == 1);
  CHECK(text_of_file(directory.path() / "rank-0.jsonl") == log);
  CHECK(one.tuner.report().runs.size() == 1);  // that of the run that tuned
}

TEST_CASE("holds 19: ranks with nothing to tune exchange two small words, before and after the region") {
  for (const int ranks : {1, 2, 5}) {
    const testing::ScriptedTraffic traffic = traffic_of_second_run(ranks);
    CHECK(traffic.collectives == 2);
    CHECK(traffic.reduces == 2);
  }
}

TEST_CASE("holds 19: where one rank has something left to tune, all tune") {
  const auto shared = kernel_per_rank(3, [](int) { return rank_kernel("settled_mixed", 3); });
  auto own = rank_kernel("settled_own", 3, {.participation = Participation::some});
  test::PerRank<int> runs(3);
  check_well(on_ranks(3, [&](int rank, ContextualAutotuner& tuner) {
    bool final_run = false;
    const auto region = [&] {
      ++runs[rank];
      shared(rank, 1);
      if (rank == 1 && final_run) {
        (*own)(7);  // too late for this run
      }
    };
    const Options options{
        .before_iteration = [&](const IterationInfo& info) { final_run = info.phase == Phase::final_run; }};
    tuner.run("settled_mixed", region, options);
    runs[rank] = 0;
    tuner.run("settled_mixed", region);
  }));
  CHECK(runs[1] > 2);
  CHECK(runs[0] == runs[1]);
  CHECK(runs[2] == runs[1]);
  CHECK(LaunchRegistry::instance().run_active() == false);
}

TEST_CASE("holds 19: a new key in a run with nothing to tune is tuned on all ranks in that run") {
  const auto kernels = kernel_per_rank(3, [](int) { return rank_kernel("settled_new_key", 3); });
  const test::RankRuns outcome = second_runs(3, "settled_new_key", [&](int rank, bool second) {
    auto& kernel = *kernels[rank];
    kernel(1);
    if (second) {
      kernel(2);
    }
  });
  CHECK(outcome.well());
  for (const RegionReport& report : outcome.reports) {
    REQUIRE(report.problems.size() == 2);
    CHECK(report.problems[1].choice == 2);
  }
}

TEST_CASE("holds 19: a launch that is new on one rank alone makes all ranks tune") {
  const auto shared = kernel_per_rank(3, [](int) { return rank_kernel("settled_shared", 3); });
  const auto some = rank_kernel("settled_some", 3, {.participation = Participation::some});
  const test::RankRuns outcome = second_runs(3, "settled_some", [&](int rank, bool second) {
    shared(rank, 1);
    if (second && rank == 1) {
      (*some)(1);
    }
  });
  CHECK(outcome.well());
  CHECK(std::all_of(outcome.runs.begin(), outcome.runs.end(), [](int runs) { return runs > 2; }));
  CHECK(LaunchRegistry::instance().locked_in("settled_some", "settled_some", make_key(1)) == std::nullopt);
}

TEST_CASE("holds 6: a throw on one rank in a run with nothing to tune reaches all, and the next run works") {
  const auto kernels = kernel_per_rank(3, [](int) { return rank_kernel("settled_throw", 2); });
  test::PerRank<std::string> texts(3);
  std::atomic<int> worked{0};
  check_well(on_ranks(3, [&](int rank, ContextualAutotuner& tuner) {
    bool fail = false;
    int runs = 0;
    const auto region = [&] {
      ++runs;
      throw_if<std::runtime_error>(fail, "a bad day");
      kernels(rank, 1);
    };
    tuner.run("settled_throw", region);
    fail = rank == 2;
    try {
      tuner.run("settled_throw", region);
    } catch (const RegionFailedError& error) {
      texts[rank] = "rank " + std::to_string(error.failed_rank()) + " told: " + error.what();
    } catch (const std::runtime_error& error) {
      texts[rank] = error.what();
    }
    fail = false;
    runs = 0;
    tuner.run("settled_throw", region);
    worked += runs == 1 ? 1 : 0;
  }));
  CHECK(worked == 3);
  CHECK(texts[2] == "a bad day");
  for (const int rank : {0, 1}) {
    CHECK_THAT(texts[rank], ContainsAll("rank 2 told: ", "a bad day"));
  }
}

TEST_CASE(
    "holds 19: a choice that fails in a run with nothing to tune falls back, and all ranks choose anew") {
  test::BreakableRanks breakable(2, "settled_rejected");
  test::PerRank<std::size_t> chosen(2);
  check_well(on_ranks(2, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    const auto region = [&] { breakable.kernels(rank, 1); };
    tuner.run("settled_rejected", region);
    breakable.set_broken(*communicator, true);
    tuner.run("settled_rejected", region);
    chosen[rank] = report_of(tuner, "settled_rejected").problems.front().choice;
  }));
  CHECK(chosen == std::vector<std::size_t>{1, 1});
}

TEST_CASE("run with nothing to tune: a worker's new launch is seen") {
  TunableKernel kernel{"settled_worker", blocks(3), [](int n) { return make_key(n); },
                       [](const Block& c, int) { return c.block; }};
  ContextualAutotuner tuner{quick()};
  tuner.run("settled_worker", [&] { kernel(1); });
  tuner.run("settled_worker", [&] {
    kernel(1);
    std::thread([&, context = RegionContext::current()] {
      const ContextGuard guard(context);
      kernel(2);
    }).join();
  });
  CHECK(problem_of(tuner, "settled_worker", "settled_worker", "(2)").choice == 2);
}

TEST_CASE("run with nothing to tune: always_tune and another region tune") {
  OneKernel one("settled_always");
  one.run();
  one.run();
  CHECK(one.runs == 7 + 1);
  one.run({.always_tune = true});
  CHECK(one.runs == 7 + 1 + 7);
  one.tuner.run("settled_always_other", [&] { one.region(); });
  CHECK(one.runs == 7 + 1 + 7 + 7);
}

TEST_CASE("run with nothing to tune: what the process forgets is tuned again") {
  const auto make = [](int count) {
    return std::make_unique<TunableKernel<int(const Block&)>>("settled_remade", blocks(count), single_problem,
                                                              [](const Block& c) { return c.block; });
  };
  auto kernel = make(3);
  ContextualAutotuner tuner{quick()};
  CHECK(tuner.run("settled_remade", [&] { return (*kernel)(); }) == 2);
  kernel = nullptr;
  kernel = make(5);  // another config space: what was chosen means nothing any more
  CHECK(tuner.run("settled_remade", [&] { return (*kernel)(); }) == 4);
}

TEST_CASE("holds 9: a choice that another tuner of one rank changed is noticed by all ranks") {
  test::PerRank<int> used(2);
  const auto kernels = kernel_per_rank(2, [&](int rank) {
    return rank_kernel("settled_changed", 3, {},
                       [&used, rank](const test::TileConfig& c, int&) { used[rank] = c.tile; });
  });
  check_well(on_ranks(2, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    const auto region = [&] { kernels(rank, 1); };
    tuner.run("settled_changed", region);
    if (rank == 0) {
      Options options = rank_options(std::make_shared<ScopedRank>(one_rank(), communicator->process_scope()));
      options.timer = testing::scripted_timer(
          [](const LaunchInfo& launch) { return 1000 + 1000 * static_cast<std::int64_t>(launch.config_id); });
      options.always_tune = true;
      ContextualAutotuner(options).run("settled_changed", region);
    }
    tuner.run("settled_changed", region);
  }));
  CHECK(used[0] == used[1]);
}

TEST_CASE("holds 6: a ConfigRejected of the region itself in a run with nothing to tune is rethrown") {
  OneKernel one("settled_own_error");
  one.run();
  one.runs = 0;
  CHECK(error_text<ConfigRejected>([&] {
          one.tuner.run("settled_own_error", [&] {
            one.region();
            throw ConfigRejected("the region's own");
          });
        }) == "the region's own");
  CHECK(one.runs == 1);
}

TEST_CASE("holds 6: what a rank threw in a run with nothing to tune survives that it cannot be told") {
  const auto kernels = kernel_per_rank(2, [](int) { return rank_kernel("settled_untold", 2); });
  test::PerRank<std::string> texts(2);
  testing::ScriptedWorld world(2);
  check_well(world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    ContextualAutotuner tuner(rank_options(communicator, {.deadline = std::chrono::milliseconds(1500)}));
    bool late = false;
    const auto region = [&] {
      kernels(rank, 1);
      if (late && rank == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3000));  // waits in the region for rank 0
      }
      throw_if<std::runtime_error>(late && rank == 0, "a bad day");
    };
    tuner.run("settled_untold", region);
    late = true;
    try {
      tuner.run("settled_untold", region);
    } catch (const std::exception& error) {
      texts[rank] = error.what();
    }
  }));
  CHECK(texts[0] == "a bad day");
  CHECK_THAT(texts[1], !ContainsSubstring("contextual-report"));
}

TEST_CASE("holds 4: a run with nothing to tune falls back to the default and to nothing else") {
  OneKernel one("settled_fallback", 4, {.keep = [](const Block& c) { return c.block != 1; }});
  one.run();
  std::vector<int> tried;
  one.in_launch = [&](const Block& c) {
    tried.push_back(c.block);
    throw_if<ConfigRejected>(c.block != 0, "broken");
  };
  CHECK(one.run() == 0);
  REQUIRE(tried.size() > 2);
  CHECK(tried[0] == 3);
  CHECK(tried[1] == 0);
  CHECK(std::find(tried.begin(), tried.end(), 1) == tried.end());
}

}  // namespace contextual::test::plain_run_test
