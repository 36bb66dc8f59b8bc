/// \file
/// A `run` with nothing to tune: one run of the region, without a timer, a log or a thread.

#include "support/engine.hpp"
#include "support/ranks.hpp"
#include "unit/tuning/scoped_rank.hpp"

#include <contextual/context_guard.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace plain_run_test {

using namespace contextual;
using engine_test::Block;
using engine_test::blocks;
using engine_test::last_is_fastest;
using engine_test::OneKernel;
using engine_test::quick;
using engine_test::TemporaryDirectory;
using engine_test::text_of_file;

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
  outcome.thrown = test::on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    const auto at = static_cast<std::size_t>(rank);
    tuner.run(name, [&] { region(rank, false); });
    tuner.run(name, [&] { ++outcome.runs[at], region(rank, true); });
    outcome.reports[at] = engine_test::report_of(tuner, name);
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
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    ContextualAutotuner tuner(test::rank_options(communicator));
    run(communicator, tuner);
    if (rank == 0) {
      before = world.traffic();
    }
    communicator->all_gather("", Deadline::after(std::chrono::seconds(20)));
    run(communicator, tuner);
  });
  CHECK(test::count_failed(thrown) == 0);
  testing::ScriptedTraffic after = world.traffic();
  after.collectives -= before.collectives + 2;  // the gathers above
  after.reduces -= before.reduces;
  return after;
}

}  // namespace

TEST_CASE("holds 19: a run with nothing to tune is one run of the region between its hooks, and no more",
          "[unit]") {
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

TEST_CASE("holds 19: ranks with nothing to tune exchange two small words, before and after the region",
          "[unit]") {
  for (const int ranks : {1, 2, 5}) {
    const testing::ScriptedTraffic traffic = traffic_of_second_run(ranks);
    CHECK(traffic.collectives == 2);
    CHECK(traffic.reduces == 2);
  }
}

TEST_CASE("holds 19: where one rank has something left to tune, all tune", "[unit]") {
  const auto shared = test::kernel_per_rank(3, [](int) { return test::rank_kernel("settled_mixed", 3); });
  auto own = test::rank_kernel("settled_own", 3, {.participation = Participation::some});
  std::vector<int> runs(3);
  const auto thrown = test::on_ranks(3, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    const auto index = static_cast<std::size_t>(rank);
    bool final_run = false;
    const auto region = [&] {
      ++runs[index];
      (*shared[index])(1);
      if (rank == 1 && final_run) {
        (*own)(7);  // too late for this run
      }
    };
    Options options;
    options.before_iteration = [&](const IterationInfo& info) { final_run = info.phase == Phase::final_run; };
    tuner.run("settled_mixed", region, options);
    runs[index] = 0;
    tuner.run("settled_mixed", region);
  });
  CHECK(test::count_failed(thrown) == 0);
  CHECK(runs[1] > 2);
  CHECK(runs[0] == runs[1]);
  CHECK(runs[2] == runs[1]);
  CHECK(LaunchRegistry::instance().run_active() == false);
}

TEST_CASE("holds 19: a new key in a run with nothing to tune is tuned on all ranks in that run", "[unit]") {
  const auto kernels = test::kernel_per_rank(3, [](int) { return test::rank_kernel("settled_new_key", 3); });
  const test::RankRuns outcome = second_runs(3, "settled_new_key", [&](int rank, bool second) {
    auto& kernel = *kernels[static_cast<std::size_t>(rank)];
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

TEST_CASE("holds 19: a launch that is new on one rank alone makes all ranks tune", "[unit]") {
  const auto shared = test::kernel_per_rank(3, [](int) { return test::rank_kernel("settled_shared", 3); });
  const auto some = test::rank_kernel("settled_some", 3, {.participation = Participation::some});
  const test::RankRuns outcome = second_runs(3, "settled_some", [&](int rank, bool second) {
    (*shared[static_cast<std::size_t>(rank)])(1);
    if (second && rank == 1) {
      (*some)(1);
    }
  });
  CHECK(outcome.well());
  CHECK(std::all_of(outcome.runs.begin(), outcome.runs.end(), [](int runs) { return runs > 2; }));
  CHECK(LaunchRegistry::instance().locked_in("settled_some", "settled_some", make_key(1)) == std::nullopt);
}

TEST_CASE("holds 6: a throw on one rank in a run with nothing to tune reaches all, and the next run works",
          "[unit]") {
  const auto kernels = test::kernel_per_rank(3, [](int) { return test::rank_kernel("settled_throw", 2); });
  std::vector<std::string> texts(3);
  std::atomic<int> worked{0};
  const auto thrown = test::on_ranks(3, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    const auto index = static_cast<std::size_t>(rank);
    bool fail = false;
    int runs = 0;
    const auto region = [&] {
      ++runs;
      if (fail) {
        throw std::runtime_error("a bad day");
      }
      (*kernels[index])(1);
    };
    tuner.run("settled_throw", region);
    fail = rank == 2;
    try {
      tuner.run("settled_throw", region);
    } catch (const RegionFailedError& error) {
      texts[index] = "rank " + std::to_string(error.failed_rank()) + " told: " + error.what();
    } catch (const std::runtime_error& error) {
      texts[index] = error.what();
    }
    fail = false;
    runs = 0;
    tuner.run("settled_throw", region);
    worked += runs == 1 ? 1 : 0;
  });
  CHECK(test::count_failed(thrown) == 0);
  CHECK(worked == 3);
  CHECK(texts[2] == "a bad day");
  for (const int rank : {0, 1}) {
    CHECK_THAT(texts[static_cast<std::size_t>(rank)],
               ContainsSubstring("rank 2 told: ") && ContainsSubstring("a bad day"));
  }
}

TEST_CASE("holds 19: a choice that fails in a run with nothing to tune falls back, and all ranks choose anew",
          "[unit]") {
  std::atomic<bool> broken{false};
  const auto kernels = test::kernel_per_rank(2, [&](int rank) {
    return test::rank_kernel("settled_rejected", 3, {}, [&broken, rank](const test::TileConfig& c, int&) {
      if (broken && rank == 1 && c.tile == 3) {
        throw ConfigRejected("no memory left for it");
      }
    });
  });
  std::vector<std::size_t> chosen(2);
  testing::ScriptedWorld world(2);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const auto index = static_cast<std::size_t>(rank);
    ContextualAutotuner tuner(test::rank_options(communicator));
    const auto region = [&] { (*kernels[index])(1); };
    tuner.run("settled_rejected", region);
    communicator->all_gather("", Deadline::after(std::chrono::seconds(20)));
    broken = true;
    communicator->all_gather("", Deadline::after(std::chrono::seconds(20)));
    tuner.run("settled_rejected", region);
    const Report report = tuner.report();
    chosen[index] = report.find("settled_rejected")->problems.front().choice;
  });
  CHECK(test::count_failed(thrown) == 0);
  CHECK(chosen == std::vector<std::size_t>{1, 1});
}

TEST_CASE("run with nothing to tune: a worker's new launch is seen", "[unit]") {
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
  CHECK(engine_test::problem_of(tuner, "settled_worker", "settled_worker", "(2)").choice == 2);
}

TEST_CASE("run with nothing to tune: always_tune and another region tune", "[unit]") {
  OneKernel one("settled_always");
  one.run();
  one.run();
  CHECK(one.runs == 7 + 1);
  one.run({.always_tune = true});
  CHECK(one.runs == 7 + 1 + 7);
  one.tuner.run("settled_always_other", [&] { one.region(); });
  CHECK(one.runs == 7 + 1 + 7 + 7);
}

TEST_CASE("run with nothing to tune: what the process forgets is tuned again", "[unit]") {
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

TEST_CASE("holds 9: a choice that another tuner of one rank changed is noticed by all ranks", "[unit]") {
  std::vector<int> used(2);
  const auto kernels = test::kernel_per_rank(2, [&](int rank) {
    return test::rank_kernel("settled_changed", 3, {}, [&used, rank](const test::TileConfig& c, int&) {
      used[static_cast<std::size_t>(rank)] = c.tile;
    });
  });
  const auto thrown = test::on_ranks(2, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    const auto region = [&] { (*kernels[static_cast<std::size_t>(rank)])(1); };
    tuner.run("settled_changed", region);
    if (rank == 0) {
      Options options = test::rank_options(std::make_shared<test::ScopedRank>(communicator->process_scope()));
      options.timer = testing::scripted_timer(
          [](const LaunchInfo& launch) { return 1000 + 1000 * static_cast<std::int64_t>(launch.config_id); });
      options.always_tune = true;
      ContextualAutotuner(options).run("settled_changed", region);
    }
    tuner.run("settled_changed", region);
  });
  CHECK(test::count_failed(thrown) == 0);
  CHECK(used[0] == used[1]);
}

TEST_CASE("holds 6: a ConfigRejected of the region itself in a run with nothing to tune is rethrown",
          "[unit]") {
  OneKernel one("settled_own_error");
  one.run();
  one.runs = 0;
  CHECK(engine_test::error_text<ConfigRejected>([&] {
          one.tuner.run("settled_own_error", [&] {
            one.region();
            throw ConfigRejected("the region's own");
          });
        }) == "the region's own");
  CHECK(one.runs == 1);
}

TEST_CASE("holds 6: what a rank threw in a run with nothing to tune survives that it cannot be told",
          "[unit]") {
  const auto kernels = test::kernel_per_rank(2, [](int) { return test::rank_kernel("settled_untold", 2); });
  std::vector<std::string> texts(2);
  testing::ScriptedWorld world(2);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const auto index = static_cast<std::size_t>(rank);
    Options options = test::rank_options(communicator);
    options.deadline = std::chrono::milliseconds(1500);
    ContextualAutotuner tuner(options);
    bool late = false;
    const auto region = [&] {
      (*kernels[index])(1);
      if (late && rank == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3000));  // waits in the region for rank 0
      }
      if (late && rank == 0) {
        throw std::runtime_error("a bad day");
      }
    };
    tuner.run("settled_untold", region);
    late = true;
    try {
      tuner.run("settled_untold", region);
    } catch (const std::exception& error) {
      texts[index] = error.what();
    }
  });
  CHECK(test::count_failed(thrown) == 0);
  CHECK(texts[0] == "a bad day");
  CHECK_THAT(texts[1], !ContainsSubstring("contextual-report"));
}

TEST_CASE("holds 4: a run with nothing to tune falls back to the default and to nothing else", "[unit]") {
  OneKernel one("settled_fallback", 4, {.keep = [](const Block& c) { return c.block != 1; }});
  one.run();
  std::vector<int> tried;
  one.in_launch = [&](const Block& c) {
    tried.push_back(c.block);
    if (c.block != 0) {
      throw ConfigRejected("broken");
    }
  };
  CHECK(one.run() == 0);
  REQUIRE(tried.size() > 2);
  CHECK(tried[0] == 3);
  CHECK(tried[1] == 0);
  CHECK(std::find(tried.begin(), tried.end(), 1) == tried.end());
}

}  // namespace plain_run_test
