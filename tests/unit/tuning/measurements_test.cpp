/// \file
/// Ties, times that are no samples, and runs that would not end by themselves.

#include "support/log_events.hpp"

#include <limits>

namespace contextual::test::measurements_test {

TEST_CASE("holds 9: inside the noise the default wins, and where it is slower the lower index") {
  struct Row {
    std::array<std::int64_t, 4> times_ns;
    std::size_t choice;
    const char* reason;
  };
  int number = 0;
  for (const Row& row : {Row{{10'020, 20'000, 10'000, 20'000}, 0, "default wins"},
                         Row{{20'000, 11'000, 10'020, 10'000}, 2, "lower index wins"}}) {
    const ProblemReport problem =
        tune_alone("holds_9_" + std::to_string(number++), 4,
                   quick(times([&](const LaunchInfo& launch) { return row.times_ns.at(launch.config_id); })));
    CHECK(problem.choice == row.choice);
    CHECK_THAT(problem.reason, ContainsSubstring(row.reason));
  }
}

TEST_CASE("holds 10: zero, negative and missing times are never samples") {
  // Each first repeat of a config has no time; taken for a sample it would win.
  const std::array<std::int64_t, 4> no_time{std::numeric_limits<std::int64_t>::min(), 0, -5, 0};
  std::vector<int> repeats(4, 0);
  const Options options = quick(times([&](const LaunchInfo& launch) -> std::int64_t {
                                  return launch.warmup || repeats[launch.config_id]++ > 0
                                             ? 10'000 + 1'000 * static_cast<std::int64_t>(launch.config_id)
                                             : no_time.at(launch.config_id);
                                }),
                                {.n_repeat = 2});
  const ProblemReport problem = tune_alone("holds_10", 4, options);
  CHECK(problem.choice == 0);
  for (const ConfigReport& config : problem.configs) {
    CHECK(config.time.count == 2);  // taken again
    CHECK(config.time.centre_ns == 10'000 + 1'000 * static_cast<double>(config.config_id));
  }
  CHECK(repeats == std::vector<int>{4, 3, 3, 3});  // and that of the final run
}

TEST_CASE("holds 10: a launch without a time makes no sample of the other launches of its iteration") {
  int launches = 0;
  OneKernel one("holds_10_sum", 2, {}, quick(times([&](const LaunchInfo&) -> std::int64_t {
                  return ++launches == 8 ? 0 : 1'000;  // the second launch of config 1's repeat
                })));
  one.tuner.run("holds_10_sum", [&] { one.kernel(), one.kernel(); });
  const ProblemReport problem = one.problem();
  CHECK(problem.configs[0].time.centre_ns == problem.configs[1].time.centre_ns);
  CHECK(problem.choice == 0);
}

TEST_CASE("holds 10: the first use of a config is never a sample") {
  std::vector<int> uses(3, 0);
  const Options options =
      quick(times([&](const LaunchInfo& launch) {
              return uses[launch.config_id]++ == 0 ? 1 : 1'000 - 100 * static_cast<int>(launch.config_id);
            }),
            {.n_repeat = 3});
  for (const ConfigReport& config : tune_alone("holds_10_first", 3, options).configs) {
    CHECK(config.time.count == 3);
    CHECK(config.time.centre_ns == 1'000 - 100 * static_cast<double>(config.config_id));
  }
}

TEST_CASE("holds 10: when no launch ever has a time the run ends with an error that says so") {
  const auto tune = [] {
    tune_alone("holds_10_never", 3, quick(times([](const LaunchInfo&) { return 0; })));
  };
  CHECK_THAT(error_text<TuningFailedError>(tune), ContainsSubstring("no valid time"));
}

TEST_CASE("holds 23: a machine that stalls runs is told of, also without a search") {
  const SearchLevel search = GENERATE(SearchLevel::off, SearchLevel::normal);
  const bool stalls = GENERATE(true, false);
  const TemporaryDirectory directory;
  int launches = 0;
  const Options options = quick(times([&](const LaunchInfo& launch) -> std::int64_t {
                                  return (10'000 + 3'000 * static_cast<std::int64_t>(launch.config_id)) *
                                         (stalls && ++launches % 6 == 0 ? 40 : 1);
                                }),
                                {.n_repeat = 5, .search = search, .log_directory = directory.path()});
  tune_alone("stalled", 8, options);
  std::string warnings;
  for (const nlohmann::json& warning : events_in(directory.path(), 0, "warning")) {
    warnings += warning.dump();
  }
  CAPTURE(warnings);
  const bool told = warnings.find("runs took more than three times the median") != std::string::npos;
  CHECK(told == stalls);
}

TEST_CASE("holds 15: a key that changes in every run ends by the cap, the message suggests a coarser key") {
  TunableKernel kernel{"holds_15", blocks(3), [](int n) { return make_key(n); }, [](const Block&, int) {}};
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  tuner.run("holds_15", [&] { kernel(++runs); }, {.max_iterations = 20});
  CHECK(runs == 21);  // and the final run
  const Report report = tuner.report();
  CHECK(report.find("holds_15")->hit_iteration_cap);
  bool suggested = false;
  for (const ProblemReport& problem : report.find("holds_15")->problems) {
    suggested = suggested || problem.reason.find("coarser") != std::string::npos;
  }
  CHECK(suggested);
}

TEST_CASE("holds 15: a problem that is not launched any more is closed and does not hold up the run") {
  TunableKernel once{"holds_15_once", blocks(3), single_problem, [](const Block&) {}};
  TunableKernel always{"holds_15_always", blocks(3), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  tuner.run("holds_15_absent", [&] {
    always();
    if (runs++ == 0) {
      once();
    }
  });
  CHECK(problem_of(tuner, "holds_15_absent", "holds_15_once").outcome == ProblemOutcome::provisional);
  CHECK(problem_of(tuner, "holds_15_absent", "holds_15_always").outcome == ProblemOutcome::locked_in);
  CHECK(runs < 20);
}

TEST_CASE("holds 15: launches of more keys than a run tunes use the default and are not tuned") {
  constexpr int most_problems = 4096;
  std::vector<int> used_by_last;
  TunableKernel kernel{"holds_15_many", blocks(2), [](int n) { return make_key(n); },
                       [&](const Block& c, int n) {
                         if (n == most_problems) {
                           used_by_last.push_back(c.block);
                         }
                       }};
  const RegionReport report = tuned("holds_15_many", [&] {
    for (int n = 0; n <= most_problems; ++n) {
      kernel(n);
    }
  });
  CHECK(report.problems.size() == most_problems);
  CHECK(used_by_last == std::vector<int>(5, 0));
}

}  // namespace contextual::test::measurements_test
