#include "support/catch.hpp"
#include "support/ranks.hpp"

namespace rank_participation_test {

using namespace contextual;
using namespace contextual::test;

namespace {

constexpr int ranks = 4;

RankKernel::Options participating(Participation participation) {
  RankKernel::Options options;
  options.participation = participation;
  return options;
}

}  // namespace

TEST_CASE("holds 7: a kernel declared some may be absent on ranks", "[unit]") {
  const auto common = rank_kernel("on-all", 2);
  const auto partial = rank_kernel("on-some", 3, participating(Participation::some));
  std::vector<RegionReport> reports(ranks);
  std::vector<int> runs(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    const auto r = static_cast<std::size_t>(rank);
    tuner.run("region", [&] {
      ++runs[r];
      if (rank == 1 || rank == 3) {
        (*partial)(2);
      }
      (*common)(1);
    });
    reports[r] = tuner.report().runs.front();
  });
  CHECK(count_failed(thrown) == 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    REQUIRE(problem_of(reports[r], "on-some") != nullptr);
    CHECK(problem_of(reports[r], "on-some")->choice == 2);
    CHECK(problem_of(reports[r], "on-some")->reason == problem_of(reports[0], "on-some")->reason);
    CHECK(problem_of(reports[r], "on-all")->choice == 1);
    CHECK(runs[r] == 3 * 3 + 1);
    CHECK(reports[r].table.size() == 3 * 3 + 1);
  }
}

TEST_CASE("a rank that launches a some kernel later than others uses the agreed configs", "[unit]") {
  std::vector<std::vector<int>> used(2);
  const RankKernels kernels = kernel_per_rank(2, [&](int rank) {
    return rank_kernel("later-here", 3, participating(Participation::some),
                       [&, rank](const TileConfig& config, int&) {
                         used[static_cast<std::size_t>(rank)].push_back(config.tile);
                       });
  });
  std::vector<RegionReport> reports(2);
  const auto thrown = on_ranks(2, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    const auto r = static_cast<std::size_t>(rank);
    int runs = 0;
    tuner.run("region", [&] {
      if (++runs > 3 || rank == 0) {
        (*kernels[r])(2);
      }
    });
    reports[r] = tuner.report().runs.front();
  });
  CHECK(count_failed(thrown) == 0);
  CHECK(used[0] == std::vector<int>{1, 1, 1, 2, 2, 2, 3, 3, 3, 3});
  CHECK(used[1] == std::vector<int>{2, 2, 2, 3, 3, 3, 3});
  CHECK(reports[0].choices_text() == reports[1].choices_text());
  CHECK(reports[0].problems.size() == 1);
}

TEST_CASE("a some kernel that appears later on a rank is prepared there before its configs run", "[unit]") {
  std::vector<std::set<int>> prepared(2);
  std::vector<std::set<int>> unprepared(2);
  const RankKernels kernels = kernel_per_rank(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    RankKernel::Options options = participating(Participation::some);
    options.prepare = [&, r](const TileConfig& config) {
      if (config.tile != 1) {  // defaults of all kernels are prepared by every run, those of other ranks too
        prepared[r].insert(config.tile);
      }
    };
    return rank_kernel("prepared-later", 3, options, [&, r](const TileConfig& config, int&) {
      if (config.tile != 1 && !prepared[r].contains(config.tile)) {
        unprepared[r].insert(config.tile);
      }
    });
  });
  const auto thrown = on_ranks(2, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    int runs = 0;
    tuner.run("region",
              [&] {
                if (++runs > 3 || rank == 0) {
                  (*kernels[static_cast<std::size_t>(rank)])(2);
                }
              },
              {.search = contextual::SearchLevel::normal});
  });
  CHECK(count_failed(thrown) == 0);
  CHECK(unprepared[0].empty());
  CHECK(unprepared[1].empty());
}

TEST_CASE("holds 4: what a rank that comes later cannot prepare is rejected on all ranks", "[unit]") {
  std::vector<std::vector<int>> used(2);
  const RankKernels kernels = kernel_per_rank(2, [&](int rank) {
    RankKernel::Options options = participating(Participation::some);
    options.prepare = [rank](const TileConfig& config) {
      if (rank == 1 && config.tile == 2) {
        throw ConfigRejected("no memory left");
      }
    };
    return rank_kernel("refused-later", 3, options, [&, rank](const TileConfig& config, int&) {
      used[static_cast<std::size_t>(rank)].push_back(config.tile);
    });
  });
  std::vector<RegionReport> reports(2);
  const auto thrown = on_ranks(2, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    const auto r = static_cast<std::size_t>(rank);
    int runs = 0;
    tuner.run("region",
              [&] {
                if (++runs > 5 || rank == 0) {  // in the middle of config-1
                  (*kernels[r])(2);
                }
              },
              {.n_repeat = 4, .settle_every = 2});
    reports[r] = tuner.report().runs.front();
  });
  CHECK(count_failed(thrown) == 0);
  CHECK(std::count(used[1].begin(), used[1].end(), 2) == 0);
  for (const RegionReport& report : reports) {
    REQUIRE(report.problems.front().configs.at(1).rejection);
    CHECK(*report.problems.front().configs.at(1).rejection == "rank 1: no memory left");
    CHECK(report.problems.front().choice == 2);
  }
}

TEST_CASE("a some kernel launched by one rank is locked in there for later calls", "[unit]") {
  std::vector<int> last(ranks);
  const RankKernels kernels = kernel_per_rank(ranks, [&](int rank) {
    return rank_kernel(
        "locked-on-one", 4, participating(Participation::some),
        [&, rank](const TileConfig& config, int&) { last[static_cast<std::size_t>(rank)] = config.tile; });
  });
  std::vector<int> second_runs(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    const auto r = static_cast<std::size_t>(rank);
    int runs = 0;
    const auto region = [&] {
      ++runs;
      if (rank == 2) {
        (*kernels[r])(1);
      }
    };
    tuner.run("region", region);
    runs = 0;
    tuner.run("region", region);
    second_runs[r] = runs;
  });
  CHECK(count_failed(thrown) == 0);
  CHECK(last[2] == 4);
  CHECK(second_runs == std::vector<int>(ranks, 1));
}

TEST_CASE("lock-ins that differ between ranks are tuned again and become one", "[unit]") {
  const auto kernel = rank_kernel("disagreeing", 4);
  testing::ScriptedWorld world(2);
  std::vector<RegionReport> reports(2);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    // Alone first, under the names of the simulated processes: each rank locks in a config of its own.
    class Alone final : public Communicator {
     public:
      explicit Alone(std::string scope) : scope_(std::move(scope)) {}
      int rank() const noexcept override { return 0; }
      int size() const noexcept override { return 1; }
      void all_reduce_max(std::span<std::int64_t>, Deadline) override {}
      std::vector<std::string> all_gather(std::string_view bytes, Deadline) override {
        return {std::string(bytes)};
      }
      std::string describe() const override { return "alone"; }
      std::string_view process_scope() const noexcept override { return scope_; }

     private:
      std::string scope_;
    };
    const auto region = [&] { (*kernel)(1); };
    Options alone = rank_options(std::make_shared<Alone>(std::string(communicator->process_scope())));
    alone.timer = testing::scripted_timer([rank](const LaunchInfo& launch) -> std::int64_t {
      return launch.config_id == static_cast<std::size_t>(rank + 1) ? 100 : 200;
    });
    ContextualAutotuner(alone).run("region", region);
    ContextualAutotuner tuner(rank_options(communicator));
    tuner.run("region", region);
    reports[static_cast<std::size_t>(rank)] = tuner.report().runs.front();
  });
  CHECK(count_failed(thrown) == 0);
  for (const RegionReport& report : reports) {
    CHECK_FALSE(report.problems.front().reused);
    CHECK(report.problems.front().choice == 3);
    CHECK(report.problems.front().configs.at(0).time.centre_ns ==
          10000);  // the default's samples are its own
  }
  CHECK(agreed_text(reports[0]) == agreed_text(reports[1]));
}

TEST_CASE("holds 7: a local kernel is chosen by each rank on its own", "[unit]") {
  const auto common = rank_kernel("beside-local", 2);
  std::vector<RegionReport> reports(ranks);
  std::vector<int> runs(ranks);
  const RankKernels kernels = kernel_per_rank(
      ranks, [&](int rank) { return rank_kernel("local", 3 + rank, participating(Participation::local)); });
  testing::ScriptedWorld world(ranks);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const auto r = static_cast<std::size_t>(rank);
    Options options = rank_options(communicator);
    options.timer = testing::scripted_timer([rank](const LaunchInfo& launch) -> std::int64_t {
      return launch.kernel == "local" && launch.config_id == static_cast<std::size_t>(rank) ? 100 : 200;
    });
    ContextualAutotuner tuner(options);
    tuner.run("region", [&] {
      ++runs[r];
      (*kernels[r])(1);
      (*common)(1);
    });
    reports[r] = tuner.report().runs.front();
  });
  CHECK(count_failed(thrown) == 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    CHECK(problem_of(reports[r], "local")->choice == r);
    CHECK(problem_of(reports[r], "local")->outcome == ProblemOutcome::locked_in);
    CHECK(problem_of(reports[r], "beside-local")->choice == 0);
    CHECK(runs[r] == runs[0]);  // ranks that are done wait for the others
    CHECK(runs[r] >= 6 * 3 + 1);
    CHECK(reports[r].table.back().phase == Phase::final_run);
  }
}

TEST_CASE("a local kernel on one rank only keeps the others running beside it", "[unit]") {
  const auto kernel = rank_kernel("only-here", 5, participating(Participation::local));
  std::vector<int> runs(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] {
      ++runs[static_cast<std::size_t>(rank)];
      if (rank == 3) {
        (*kernel)(1);
      }
    });
  });
  CHECK(count_failed(thrown) == 0);
  CHECK(runs[0] >= 5 * 3 + 1);
  CHECK(runs == std::vector<int>(ranks, runs[0]));
}

}  // namespace rank_participation_test
