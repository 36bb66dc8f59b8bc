// The first run after an exchange holds the ranks' skew: it must not decide anything.

#include "support/repetitions.hpp"
#include "unit/tuning/changed_options.hpp"

#include <random>

namespace contextual::test::rank_skew_test {

namespace {

constexpr int config_count = 5;

/// Two kernels side by side. Pairs of configs have makespans of their own; skew makes the first run after
/// each exchange longer, most of all that of the shortest pair.
class SkewedRegion {
 public:
  SkewedRegion(unsigned seed, int ranks, bool skewed) : ranks_(ranks), skewed_(skewed), random_(seed) {
    std::vector<std::int64_t> makespans;
    for (int i = 0; i < config_count * config_count; ++i) {
      makespans.push_back(100'000 + 3'000 * i);
    }
    std::shuffle(makespans.begin(), makespans.end(), random_);
    for (std::size_t i = 0; i < makespans.size(); ++i) {
      makespans_ns_[{i / config_count, i % config_count}] = makespans[i];
      best_ = makespans[i] == 100'000 ? Assignment{i / config_count, i % config_count} : best_;
    }
  }

  const Assignment& best() const { return best_; }

  /// For one rank: hooks tell which runs come first after an exchange.
  void add_to(Options& options, int rank) const {
    const auto fresh = std::make_shared<bool>(true);
    const auto firsts = std::make_shared<std::set<std::int64_t>>();
    options.progress = [fresh](const Progress&) { *fresh = true; };
    options.before_iteration = [fresh, firsts](const IterationInfo& run) {
      if (std::exchange(*fresh, false)) {
        firsts->insert(run.tuning_iteration);
      }
    };
    const auto makespan = [this, firsts, rank](std::int64_t iteration,
                                               const std::vector<testing::ScriptedLaunch>& launches) {
      const std::int64_t ns = makespans_ns_.at({launches.at(0).config_id, launches.at(1).config_id});
      const std::int64_t noise = (iteration * 7919 + rank * 104'729) % 200;
      const std::int64_t percent = 6 + iteration * 7919 % 65;  // 6 to 70
      const bool skewed = skewed_ && firsts->contains(iteration) && iteration % ranks_ == rank;
      return ns + noise + (skewed ? ns * percent / 100 : 0);
    };
    options.timer = testing::scripted_timer([](const LaunchInfo&) { return 50'000; }, makespan);
  }

 private:
  int ranks_;
  bool skewed_;
  std::mt19937 random_;
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> makespans_ns_;
  Assignment best_;
};

Assignment choice_of(const RegionReport& report) {
  return {report.problems.at(0).choice, report.problems.at(1).choice};
}

}  // namespace

TEST_CASE("a skew of the first run after each exchange changes no choice") {
  for (const SearchLevel level : {SearchLevel::quick, SearchLevel::normal, SearchLevel::thorough}) {
    for (int seed = 1; seed <= repetitions_of_threads(12); ++seed) {
      for (const bool skewed : {false, true}) {
        const int ranks = 1 + seed % 4;
        INFO("seed " << seed << ", " << ranks << " ranks, level " << static_cast<int>(level)
                     << (skewed ? ", skewed" : ""));
        const SkewedRegion region(static_cast<unsigned>(seed), ranks, skewed);
        PerRank<RegionReport> reports(static_cast<std::size_t>(ranks));
        const RankKernels one = kernel_per_rank(ranks, [](int) { return rank_kernel("one", config_count); });
        const RankKernels two = kernel_per_rank(ranks, [](int) { return rank_kernel("two", config_count); });
        const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner&, const auto& all) {
          Options options = rank_options(all, {.search = level, .always_tune = true});
          region.add_to(options, rank);
          ContextualAutotuner tuner(options);
          tuner.run("skewed", [&] { one(rank, 1), two(rank, 1); });
          reports[rank] = tuner.report().runs.back();
        });
        REQUIRE(count_failed(thrown) == 0);
        for (const RegionReport& report : reports) {
          CHECK(choice_of(report) == region.best());
        }
      }
    }
  }
}

}  // namespace contextual::test::rank_skew_test
