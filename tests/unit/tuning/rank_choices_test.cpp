#include "support/ranks.hpp"
#include "support/report_of.hpp"

#include <random>

namespace contextual::test::rank_choices_test {

namespace {

/// Runs a region of one kernel on ranks whose times `time(rank, launch)` says; returns the reports.
template <typename Time>
std::vector<RegionReport> tune_with(
    int ranks, int configs, const Time& time, const RankChange& change = [](int, Options&) {}) {
  const auto kernel = rank_kernel("timed", configs);
  const RankRuns outcome = run_on_ranks(
      ranks, [&](int, int) { (*kernel)(1); },
      [&](int rank, Options& options) {
        options.timer =
            testing::scripted_timer([time, rank](const LaunchInfo& launch) { return time(rank, launch); });
        change(rank, options);
      });
  CHECK(outcome.well());
  return outcome.reports;
}

}  // namespace

TEST_CASE("holds 9: choices are identical on all ranks whatever noise each one measures") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    const auto noisy = [seed](int rank, const LaunchInfo& launch) {
      std::mt19937 random(seed * 7919 + static_cast<unsigned>(rank * 104729 + launch.tuning_iteration));
      const auto config = static_cast<std::int64_t>(launch.config_id);
      return 10000 - 100 * ((config * 5) % 6) + static_cast<std::int64_t>(random() % 1000);
    };
    const auto reports = tune_with(8, 6, noisy, [](int, Options& options) {
      options.n_repeat = 5;
      options.search = SearchLevel::normal;
    });
    for (const RegionReport& report : reports) {
      CHECK(agreed_text(report) == agreed_text(reports[0]));
      CHECK(report.problems.front().choice == reports[0].problems.front().choice);
    }
  }
}

TEST_CASE("holds 9: inside the noise the default wins on all ranks, else the lower config index") {
  const bool default_is_slow = GENERATE(false, true);
  const auto tied = [=](int, const LaunchInfo& launch) -> std::int64_t {
    return launch.config_id == 0 && default_is_slow
               ? 200000
               : 100000 - static_cast<std::int64_t>(launch.config_id);  // 0.001 %
  };
  for (const RegionReport& report : tune_with(4, 4, tied)) {
    CHECK(report.problems.front().choice == (default_is_slow ? 1 : 0));
  }
}

TEST_CASE("a sample is the slowest rank's time") {
  const auto uneven = [](int rank, const LaunchInfo& launch) -> std::int64_t {
    if (launch.config_id == 2) {
      return rank == 3 ? 5000 : 100;  // best everywhere but on one rank
    }
    return launch.config_id == 1 ? 900 : 1000;
  };
  for (const RegionReport& report : tune_with(4, 3, uneven)) {
    CHECK(report.problems.front().choice == 1);
    CHECK(report.problems.front().configs.at(2).time.centre_ns == 5000);
    CHECK(report.problems.front().configs.at(2).makespan.centre_ns == 5000);
  }
}

TEST_CASE("holds 10: a time that is missing on one rank is no sample and is taken again") {
  const std::int64_t missing = GENERATE(0, -5);
  const auto times = [missing](int rank, const LaunchInfo& launch) -> std::int64_t {
    const bool gap = rank == 1 && launch.tuning_iteration == 4;  // config-1's first sample
    return gap ? missing : 1000 - 100 * static_cast<std::int64_t>(launch.config_id);
  };
  for (const RegionReport& report : tune_with(3, 2, times)) {
    CHECK(report.retakes == 1);
    CHECK(report.walk_iterations == 2 * 3 + 1);
    CHECK(report.problems.front().choice == 1);
    for (const ConfigReport& config : report.problems.front().configs) {
      CHECK(config.time.count == 2);
      CHECK(config.time.spread_ns == 0);
    }
  }
}

TEST_CASE("holds 10: a config without times on one rank is rejected on all") {
  const auto times = [](int rank, const LaunchInfo& launch) -> std::int64_t {
    return rank == 1 && launch.config_id == 1 ? 0 : 1000;
  };
  for (const RegionReport& report : tune_with(3, 2, times)) {
    CHECK(report.problems.front().choice == 0);
    REQUIRE(report.problems.front().configs.at(1).rejection);
    CHECK_THAT(*report.problems.front().configs.at(1).rejection, ContainsSubstring("no valid time"));
    CHECK(report.problems.front().configs.at(1).time.count == 0);
  }
}

TEST_CASE("a wrapped region's later calls on ranks do not communicate") {
  constexpr int ranks = 4;
  const auto kernel = rank_kernel("wrapped", 3);
  testing::ScriptedWorld world(ranks);
  PerRank<std::int64_t> between(ranks);
  PerRank<int> runs(ranks);
  PerRank<int> later_runs(ranks);
  PerRank<std::size_t> tunings(ranks);
  check_well(world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    ContextualAutotuner tuner(rank_options(communicator));
    auto region = make_tuned_region(tuner, "wrapped", [&](int key) {
      ++runs[rank];
      (*kernel)(key);
    });
    region(1);
    communicator->all_gather("all have tuned", Deadline::after(std::chrono::seconds(30)));
    const std::int64_t before = world.traffic().collectives;
    runs[rank] = 0;
    region(1);
    region(1);
    between[rank] = world.traffic().collectives - before;
    communicator->all_gather("all have looked", Deadline::after(std::chrono::seconds(30)));
    later_runs[rank] = runs[rank];
    region(2);  // new on all ranks: tuned by all
    tunings[rank] = tuner.report().runs.size();
  }));
  CHECK(later_runs == std::vector<int>(ranks, 2));
  CHECK(between == std::vector<std::int64_t>(ranks, 0));
  CHECK(tunings == std::vector<std::size_t>(ranks, 2));
}

TEST_CASE(
    "an exchange of a batch is a header and a payload, and of the final run a header, when all is well") {
  constexpr int ranks = 3;
  const auto kernel = rank_kernel("cheap", 4);
  testing::ScriptedWorld world(ranks);
  check_well(world.run([&](int, const std::shared_ptr<Communicator>& communicator) {
    ContextualAutotuner(rank_options(communicator)).run("region", [&] { (*kernel)(1); });
  }));
  const testing::ScriptedTraffic traffic = world.traffic();
  CHECK(traffic.reduces == traffic.collectives);
  // The hello; iteration 0, the rest of config-0, configs 1 to 3; the final run.
  CHECK(traffic.reduces == 1 + 2 * (1 + 4) + 1);
}

TEST_CASE("reports of all ranks have the problems in one order, whichever thread launched first") {
  const auto first = rank_kernel("launched-here", 3);
  const auto second = rank_kernel("launched-there", 2);
  const RankRuns outcome = run_on_ranks(3, [&](int rank, int) {
    const auto launch_there = [&] {
      std::thread([&, context = RegionContext::current()] {
        const ContextGuard guard(context);
        (*second)(1);
      }).join();
    };
    if (rank == 1) {
      launch_there();
    }
    (*first)(1);
    if (rank != 1) {
      launch_there();
    }
  });
  CHECK(outcome.well());
  CHECK(agreed_text(outcome.reports[1]) == agreed_text(outcome.reports[0]));
  CHECK(agreed_text(outcome.reports[2]) == agreed_text(outcome.reports[0]));
}

}  // namespace contextual::test::rank_choices_test
