/// \file
/// Choices of an earlier process that are compared with the defaults before they are used.

#include "unit/tuning/kept_process.hpp"

namespace contextual::test::kept_test::revalidation_test {

namespace {

/// Ranks whose kept choice is config 2.
Process with_choices(const TemporaryDirectory& directory, const std::string& kernel, int ranks = 2) {
  Process process{.ranks = ranks, .directory = directory.path(), .only_on_rank_0 = true, .kernel = kernel};
  REQUIRE(run(process).tuned(2));
  return process;
}

/// Five rounds of two turns of two runs, between the run that finds nothing to tune and the last one.
constexpr int runs_of_comparison = 22;

}  // namespace

TEST_CASE("revalidate: choices that are faster than the defaults stay, and nothing is tuned") {
  const TemporaryDirectory directory;
  Process process = with_choices(directory, "revalidated");
  for (const Revalidate option : {Revalidate::tune_if_worse, Revalidate::defaults_if_worse}) {
    std::atomic<int> middle{0};
    process.launcher = [&](const TileConfig& config, int&) { middle += config.tile == 2 ? 1 : 0; };
    process.change = [&](Options& options) { options.revalidate = option; };
    const Seen seen = run(process);
    INFO(text_of(seen.thrown[0]));
    CHECK(seen.well());
    CHECK(middle == 0);
    for (std::size_t rank = 0; rank < 2; ++rank) {
      CHECK(seen.runs[rank] == runs_of_comparison);
      const RegionReport& report = seen.reports[rank];
      REQUIRE(report.revalidation.has_value());
      CHECK_FALSE(report.revalidation->defaults_won);
      CHECK(report.revalidation->kept.centre_ns == 1000);
      CHECK(report.revalidation->defaults.centre_ns == 2000);
      REQUIRE(report.revalidation->gain.has_value());
      CHECK(report.revalidation->gain->centre == 0.5);
      CHECK(only(report.problems).choice == 2);
      CHECK_THAT(report.problems[0].reason, ContainsSubstring("kept since 20"));
      CHECK(report.warnings.empty());
    }
  }
}

TEST_CASE("revalidate: where the defaults win, the region is tuned again and the new choice is kept") {
  const TemporaryDirectory directory;
  Process process = with_choices(directory, "revalidated_tuned");
  process.fastest = 0;
  process.change = [](Options& options) { options.revalidate = Revalidate::tune_if_worse; };
  const Seen seen = run(process);
  INFO(text_of(seen.thrown[0]));
  CHECK(seen.tuned(0));
  CHECK(seen.runs[0] > runs_of_comparison);
  for (const RegionReport& report : seen.reports) {
    REQUIRE(report.revalidation.has_value());
    CHECK(report.revalidation->defaults_won);
    CHECK(report.problems.at(0).choice == 0);
    CHECK_FALSE(report.problems.at(0).reused);
  }
  process.change = [](Options&) {};
  CHECK(run(process).used(0));
}

TEST_CASE("revalidate: where the defaults win, they are used by option, and what is kept stays") {
  const TemporaryDirectory directory;
  Process process = with_choices(directory, "revalidated_defaults");
  process.fastest = 0;
  process.change = [](Options& options) { options.revalidate = Revalidate::defaults_if_worse; };
  const Seen seen = run(process);
  INFO(text_of(seen.thrown[0]));
  CHECK(seen.runs[0] == runs_of_comparison);
  for (const RegionReport& report : seen.reports) {
    REQUIRE(report.revalidation.has_value());
    CHECK(report.revalidation->defaults_won);
    CHECK(report.problems.at(0).choice == 0);
    CHECK(report.problems.at(0).choice_config == Config{{"TILE", 1}});
    CHECK_THAT(only(report.warnings), ContainsSubstring("uses the defaults"));
  }
  process.change = [](Options&) {};
  CHECK(run(process).used(2));
}

TEST_CASE("revalidate: what a process uses afterwards is what the comparison has shown") {
  const TemporaryDirectory directory;
  static_cast<void>(with_choices(directory, "revalidated_later", 1));
  for (const bool defaults_win : {true, false}) {
    std::size_t last = 9;
    int runs = 0;
    const auto thrown = on_ranks(1, [&](int, ContextualAutotuner& tuner) {
      const auto kernel = rank_kernel("revalidated_later", 3, {}, [&](const TileConfig& config, int&) {
        last = static_cast<std::size_t>(config.tile - 1);
      });
      const Options options{.cache_directory = directory.path(),
                            .revalidate = Revalidate::defaults_if_worse,
                            .timer = testing::scripted_timer(later_is_faster, [&](std::int64_t, const auto&) {
                              return (last == 0) == defaults_win ? std::int64_t{1000} : std::int64_t{2000};
                            })};
      const auto region = [&] { ++runs, (*kernel)(7); };
      this_machine = "as ever";
      tuner.run("kept region", region, options);
      runs = 0;
      tuner.run("kept region", region, options);
    });
    INFO(text_of(thrown[0]));
    CHECK(runs == 1);
    if (runs == 1) {
      CHECK(last == (defaults_win ? 0U : 2U));
    }
  }
}

TEST_CASE("holds 22: the value of a run that compares kept choices is that of what is locked in") {
  for (const bool defaults_win : {true, false}) {
    for (const int rounds : {5, 6}) {  // the last round ends with the kept choices, or with the defaults
      const TemporaryDirectory directory;
      Process process = with_choices(directory, "revalidated_value");
      process.fastest = defaults_win ? 0 : 2;
      process.change = [rounds](Options& options) {
        options.revalidate = Revalidate::defaults_if_worse;
        options.search_settings.closing_rounds = rounds;
      };
      const Seen seen = run(process);
      INFO(text_of(seen.thrown[0]));
      CHECK(seen.well());
      CHECK(seen.configs == std::vector<std::size_t>(2, defaults_win ? 0 : 2));  // of the last run
    }
  }
}

TEST_CASE("revalidate: where the timer sees no run, the kept choices stay, and a warning says so") {
  const TemporaryDirectory directory;
  Process process = with_choices(directory, "revalidated_untimed");
  process.change = [](Options& options) {
    options.revalidate = Revalidate::defaults_if_worse;
    options.timer = testing::scripted_timer([](const LaunchInfo&) { return std::int64_t{0}; },
                                            [](std::int64_t, const auto&) { return std::int64_t{0}; });
  };
  const Seen seen = run(process);
  INFO(text_of(seen.thrown[0]));
  CHECK(seen.configs == std::vector<std::size_t>(2, 2));
  for (const RegionReport& report : seen.reports) {
    REQUIRE(report.revalidation.has_value());
    CHECK_FALSE(report.revalidation->gain.has_value());
    REQUIRE_FALSE(report.warnings.empty());
    CHECK_THAT(report.warnings.back(), ContainsSubstring("were not compared with the defaults"));
  }
}

TEST_CASE("revalidate: all defaults are not run where `feasible` rules them out") {
  const TemporaryDirectory directory;
  Process process = with_choices(directory, "revalidated_infeasible");
  process.change = [](Options& options) {
    options.revalidate = Revalidate::defaults_if_worse;
    options.feasible = [](std::span<const AssignedConfig> configs) {
      return configs.empty() || configs.front().config_id != 0;
    };
  };
  const Seen seen = run(process);
  CHECK(seen.used(2));
  CHECK_FALSE(seen.reports[0].revalidation.has_value());
  CHECK_THAT(only(seen.reports[0].warnings), ContainsSubstring("feasible"));
}

TEST_CASE("revalidate: what was loaded is compared in the first run after `load`") {
  const TemporaryDirectory directory;
  Process process = with_choices(directory, "revalidated_loaded");
  const RankKernels kernels = kernel_per_rank(2, [&](int) { return rank_kernel("revalidated_loaded", 3); });
  PerRank<std::vector<int>> runs(2);  // of the region, by rank and call
  check_well(on_ranks(2, [&](int rank, ContextualAutotuner& tuner) {
    const Options options{.cache_directory = rank == 0 ? directory.path() : std::filesystem::path(),
                          .revalidate = Revalidate::defaults_if_worse,
                          .timer = testing::scripted_timer(later_is_faster)};
    this_machine = "as ever";
    throw_if<std::runtime_error>(!tuner.load(process.region, options), "nothing was loaded");
    for (int call = 0; call < 2; ++call) {
      runs[rank].push_back(0);
      tuner.run(
          process.region, [&] { ++runs[rank].back(), kernels(rank, 7); }, options);
      throw_if<std::runtime_error>(!report_of(tuner, process.region).revalidation, "nothing was compared");
    }
  }));
  for (const std::vector<int>& of_rank : runs) {
    REQUIRE(of_rank.size() == 2);
    CHECK(of_rank[0] >= runs_of_comparison);
    CHECK(of_rank[1] == 1);
  }
}

}  // namespace contextual::test::kept_test::revalidation_test
