/// \file
/// Refined config spaces in whole tuning runs, on one rank and on several.

#include "support/engine.hpp"
#include "support/ranks.hpp"

namespace contextual::test::refinement_test {

namespace {

struct GridConfig {
  int sms = 132;
};

ConfigSpace<GridConfig> grid() {
  return ConfigSpace<GridConfig>{{"SMS", &GridConfig::sms, {132, 100, 68, 36}}}.refine(
      {"SMS", &GridConfig::sms, {124, 116, 108, 92, 84, 76, 60, 52, 44, 28, 20}});
}

/// What a rank has launched.
struct Launched {
  std::set<int> used;  ///< numbers of the first kernel
  int wide = 0;        ///< the last one of each
  int narrow = 0;
};

/// Two kernels that share 132 multiprocessors; the first has three times the work. Ranks share them.
struct Pair {
  static Key one_key(const Launched&) { return single_problem(); }

  TunableKernel<void(const GridConfig&, Launched&)> wide{"wide", grid(), one_key,
                                                         [](const GridConfig& config, Launched& launched) {
                                                           launched.used.insert(config.sms);
                                                           launched.wide = config.sms;
                                                         }};
  TunableKernel<void(const GridConfig&, Launched&)> narrow{
      "narrow", grid(), one_key,
      [](const GridConfig& config, Launched& launched) { launched.narrow = config.sms; }};

  void operator()(Launched& launched) {
    wide(launched);
    narrow(launched);
  }
};

std::int64_t own_ns(const std::string& kernel, std::size_t config_id) {
  return (kernel == "wide" ? 30'000'000 : 10'000'000) / grid()[config_id].sms;
}

std::int64_t makespan_ns(std::int64_t /*iteration*/, const std::vector<testing::ScriptedLaunch>& launches) {
  std::int64_t longest = 0;
  std::int64_t sum = 0;
  int sms = 0;
  for (const testing::ScriptedLaunch& launch : launches) {
    longest = std::max(longest, own_ns(launch.kernel, launch.config_id));
    sum += own_ns(launch.kernel, launch.config_id);
    sms += grid()[launch.config_id].sms;
  }
  return sms <= 132 ? longest : 3 * sum / 2;  // one after the other, with gaps
}

Options shared_device(SearchLevel search) {
  return {
      .n_warmup = 1,
      .n_repeat = 2,
      .search = search,
      .log_directory = "",
      .timer = testing::scripted_timer_with(
          {.launch_ns =
               [](const LaunchInfo& launch) { return own_ns(std::string(launch.kernel), launch.config_id); },
           .makespan_ns = makespan_ns})};
}

}  // namespace

TEST_CASE("a region of refined kernels: the search finds what the coarse grid has not") {
  for (const SearchLevel level : {SearchLevel::quick, SearchLevel::normal}) {
    Pair region;
    Launched launched;
    ContextualAutotuner tuner(shared_device(level));
    const std::string name = level == SearchLevel::quick ? "refined quickly" : "refined";
    tuner.run(name, [&] { region(launched); });
    CAPTURE(launched.wide, launched.narrow);
    CHECK(launched.wide + launched.narrow <= 132);
    // 92 beside 36 is the best; of the coarse grid, 68 beside 36 with 441 us is the best one that fits.
    CHECK(makespan_ns(0, {{"wide", "", problem_of(tuner, name, "wide").choice},
                          {"narrow", "", problem_of(tuner, name, "narrow").choice}}) <=
          (level == SearchLevel::quick ? 357'142 : 326'087));
    CHECK(problem_of(tuner, name, "wide").choice >= 4);
    CHECK(problem_of(tuner, name, "wide").configs.at(5).time.count == 0);  // not walked
  }
}

TEST_CASE("a refined kernel without a search is walked through its coarse grid") {
  Pair region;
  Launched launched;
  const RegionReport report = tuned(shared_device(SearchLevel::off), "coarse", [&] { region(launched); });
  CHECK(launched.used == std::set<int>{36, 68, 100, 132});
  CHECK(report.table.size() == 4 * 3 + 1);
}

TEST_CASE("refined kernels of one rank, under a key that has the rank: the search visits their refinements") {
  using Kernel = TunableKernel<void(const GridConfig&, int)>;
  const auto key = [](const int& rank) { return make_key(rank); };
  int wide = 0;  // the last one of each
  int narrow = 0;
  Kernel first("wide", grid(), key, [&](const GridConfig& config, int) { wide = config.sms; },
               {.participation = Participation::some});
  Kernel second("narrow", grid(), key, [&](const GridConfig& config, int) { narrow = config.sms; },
                {.participation = Participation::some});
  const RankRuns outcome = run_on_ranks(
      3,
      [&](int rank, int) {
        if (rank == 1) {
          first(rank);
          second(rank);
        }
      },
      [](int, Options& options) {
        options.search = SearchLevel::normal;
        options.timer = testing::scripted_timer_with(
            {.launch_ns =
                 [](const LaunchInfo& launch) {
                   return own_ns(std::string(launch.kernel), launch.config_id);
                 },
             .makespan_ns =
                 [](std::int64_t iteration, const std::vector<testing::ScriptedLaunch>& launches) {
                   return launches.empty() ? 1 : makespan_ns(iteration, launches);
                 }});
      });
  CHECK(outcome.well());
  CHECK(wide == 92);
  CHECK(narrow == 36);
  for (const RegionReport& report : outcome.reports) {
    CHECK(report.choices_text() == outcome.reports[0].choices_text());
    for (const ProblemReport& problem : report.problems) {
      CHECK(problem.configs.at(5).refinement);
      CHECK_FALSE(problem.configs.at(5).left_out);
      CHECK(problem.choice_config.get<int>("SMS") == (problem.kernel == "wide" ? 92 : 36));
    }
  }
}

}  // namespace contextual::test::refinement_test
