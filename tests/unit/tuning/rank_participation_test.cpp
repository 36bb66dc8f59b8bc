#include "support/scoped_rank.hpp"
#include "unit/tuning/changed_options.hpp"

namespace contextual::test::rank_participation_test {

namespace {

constexpr int ranks = 4;

constexpr auto some = Participation::some;

}  // namespace

TEST_CASE("holds 7: a kernel declared some may be absent on ranks") {
  const auto common = rank_kernel("on-all", 2);
  const auto partial = rank_kernel("on-some", 3, {.participation = some});
  const RankRuns outcome = run_on_ranks(ranks, [&](int rank, int) {
    if (rank == 1 || rank == 3) {
      (*partial)(2);
    }
    (*common)(1);
  });
  CHECK(outcome.well());
  CHECK(outcome.runs == std::vector<int>(ranks, 3 * 3 + 1));
  for (const RegionReport& report : outcome.reports) {
    REQUIRE(problem_of(report, "on-some") != nullptr);
    CHECK(problem_of(report, "on-some")->choice == 2);
    CHECK(problem_of(report, "on-some")->reason == problem_of(outcome.reports[0], "on-some")->reason);
    CHECK(problem_of(report, "on-all")->choice == 1);
    CHECK(report.table.size() == 3 * 3 + 1);
  }
}

TEST_CASE("a rank that launches a some kernel later than others uses the agreed configs") {
  PerRank<std::vector<int>> used(2);
  const RankKernels kernels = kernel_per_rank(2, [&](int rank) {
    return rank_kernel("later-here", 3, {.participation = some},
                       [&own = used[rank]](const TileConfig& c, int&) { own.push_back(c.tile); });
  });
  const RankRuns outcome = run_on_ranks(2, [&](int rank, int run) {
    if (run >= 3 || rank == 0) {
      kernels(rank, 2);
    }
  });
  CHECK(outcome.well());
  CHECK(used[0] == std::vector<int>{1, 1, 1, 2, 2, 2, 3, 3, 3, 3});
  CHECK(used[1] == std::vector<int>{2, 2, 2, 3, 3, 3, 3});
  CHECK(outcome.reports[0].choices_text() == outcome.reports[1].choices_text());
  CHECK(outcome.reports[0].problems.size() == 1);
}

TEST_CASE("a some kernel that appears later on a rank is prepared there before its configs run") {
  PerRank<std::set<int>> prepared(2);
  PerRank<std::set<int>> unprepared(2);
  const RankKernels kernels = kernel_per_rank(2, [&](int rank) {
    const auto prepare = [&, rank](const TileConfig& config) {
      if (config.tile != 1) {  // defaults of all kernels are prepared by every run, those of other ranks too
        prepared[rank].insert(config.tile);
      }
    };
    return rank_kernel("prepared-later", 3, {.load = prepare, .participation = some},
                       [&, rank](const TileConfig& config, int&) {
                         if (config.tile != 1 && !prepared[rank].contains(config.tile)) {
                           unprepared[rank].insert(config.tile);
                         }
                       });
  });
  const RankRuns outcome = run_on_ranks(
      2,
      [&](int rank, int run) {
        if (run >= 3 || rank == 0) {
          kernels(rank, 2);
        }
      },
      [](int, Options& options) { options.search = SearchLevel::normal; });
  CHECK(outcome.well());
  CHECK(unprepared[0].empty());
  CHECK(unprepared[1].empty());
}

TEST_CASE("holds 4: what a rank that comes later cannot prepare is rejected on all ranks") {
  PerRank<std::set<int>> used(2);
  const RankKernels kernels = kernel_per_rank(2, [&](int rank) {
    return rank_kernel("refused-later", 3,
                       {.load = refuse_tile(rank == 1, 2, "no memory left"), .participation = some},
                       [&own = used[rank]](const TileConfig& c, int&) { own.insert(c.tile); });
  });
  const RankRuns outcome = run_on_ranks(
      2,
      [&](int rank, int run) {
        if (run >= 7 || rank == 0) {  // in the middle of config-1
          kernels(rank, 2);
        }
      },
      [](int, Options& options) { options.n_repeat = 4; });
  CHECK(outcome.well());
  CHECK_FALSE(used[1].contains(2));
  for (const RegionReport& report : outcome.reports) {
    CHECK(report.problems.front().configs.at(1).rejection == "rank 1: no memory left");
    CHECK(report.problems.front().choice == 2);
  }
}

TEST_CASE("a some kernel launched by one rank is locked in there for later calls") {
  int last = 0;
  const RankKernels kernels = kernel_per_rank(ranks, [&](int) {
    return rank_kernel("locked-on-one", 4, {.participation = some},
                       [&last](const TileConfig& c, int&) { last = c.tile; });
  });
  PerRank<int> second_runs(ranks);
  check_well(on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner) {
    const auto region = [&] {
      ++second_runs[rank];
      if (rank == 2) {
        kernels(rank, 1);
      }
    };
    tuner.run("region", region);
    second_runs[rank] = 0;
    tuner.run("region", region);
  }));
  CHECK(last == 4);
  CHECK(second_runs == std::vector<int>(ranks, 1));
}

TEST_CASE("lock-ins that differ between ranks are tuned again and become one") {
  const auto kernel = rank_kernel("disagreeing", 4);
  PerRank<RegionReport> reports(2);
  check_well(on_ranks(2, [&](int rank, ContextualAutotuner& tuner, const auto& all) {
    // Alone first, under the names of the simulated processes: each rank locks in a config of its own.
    const auto region = [&] { (*kernel)(1); };
    const Options alone =
        rank_options(std::make_shared<ScopedRank>(one_rank(), all->process_scope()),
                     {.timer = testing::scripted_timer([rank](const LaunchInfo& launch) -> std::int64_t {
                        return launch.config_id == static_cast<std::size_t>(rank + 1) ? 100 : 200;
                      })});
    ContextualAutotuner(alone).run("region", region);
    tuner.run("region", region);
    reports[rank] = tuner.report().runs.front();
  }));
  for (const RegionReport& report : reports) {
    CHECK_FALSE(report.problems.front().reused);
    CHECK(report.problems.front().choice == 3);
    CHECK(report.problems.front().configs.at(0).time.centre_ns == 10000);  // not those of before
  }
  CHECK(agreed_text(reports[0]) == agreed_text(reports[1]));
}

TEST_CASE("holds 7: ranks choose for themselves under a key that has the rank in it") {
  const auto common = rank_kernel("beside-own", 2);
  PerRank<int> last(ranks);
  const RankKernels kernels = kernel_per_rank(ranks, [&](int rank) {
    return rank_kernel("own", 3 + rank, {.participation = some},
                       [&last, rank](const TileConfig& c, int&) { last[rank] = c.tile; });
  });
  const RankRuns outcome = run_on_ranks(
      ranks,
      [&](int rank, int) {
        kernels(rank, rank);
        (*common)(1);
      },
      [](int rank, Options& options) {
        options.timer = testing::scripted_timer([rank](const LaunchInfo& launch) -> std::int64_t {
          return launch.kernel == "own" && launch.config_id == static_cast<std::size_t>(rank) ? 100 : 200;
        });
      });
  CHECK(outcome.well());
  CHECK(outcome.runs == std::vector<int>(ranks, outcome.runs[0]));
  CHECK(outcome.runs[0] >= 6 * 3 + 1);
  for (std::size_t r = 0; r < ranks; ++r) {
    const RegionReport& report = outcome.reports[r];
    for (const ProblemReport& problem : report.problems) {
      CHECK(problem.outcome == ProblemOutcome::locked_in);
      const bool common_one = problem.kernel == "beside-own";
      CHECK(problem.choice == (common_one ? 0 : static_cast<std::size_t>(problem.key.at(1) - '0')));
    }
    CHECK(last[r] == static_cast<int>(r) + 1);
    CHECK(report.choices_text() == outcome.reports[0].choices_text());
    CHECK(report.table.back().phase == Phase::final_run);
  }
}

}  // namespace contextual::test::rank_participation_test
