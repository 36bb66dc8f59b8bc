/// \file
/// `keep` allows some configs for some sizes of one key only.

#include "support/stderr_capture.hpp"
#include "unit/tuning/changed_options.hpp"
#include "unit/tuning/kept_process.hpp"
#include "unit/tuning/sized_kernel.hpp"

namespace contextual::test::sized_test::keep_sizes_test {

TEST_CASE("holds 24: of several sizes of a key in one region no launch gets a config that its size refuses") {
  for (const SearchLevel level : {SearchLevel::off, SearchLevel::normal}) {
    for (const bool larger_first : {true, false}) {
      Launches seen;
      const auto kernel = sized_kernel(
          "keep_two_sizes" + std::to_string(static_cast<int>(level)) + (larger_first ? "l" : "s"), seen);
      const RegionReport report = tuned(quick({.search = level}), kernel->name(), [&] {
        (*kernel)(larger_first ? 128 : 70);
        (*kernel)(larger_first ? 70 : 128);
      });
      CHECK(seen.refused == 0);
      CHECK(report.problems.front().configs[2].left_out);
      CHECK(report.problems.front().choice == 1);
    }
  }
}

TEST_CASE("holds 24: a size that comes up later rejects what it does not allow, and is no sample of it") {
  for (const SearchLevel level : {SearchLevel::off, SearchLevel::normal}) {
    Launches seen;
    const auto kernel = sized_kernel("keep_later_size" + std::to_string(static_cast<int>(level)), seen);
    const Options options = quick({.n_repeat = 3, .search = level});
    int runs = 0;
    const RegionReport report =
        tuned(options, kernel->name(), [&] { return (*kernel)(++runs > 3 && runs % 2 == 0 ? 70 : 128); });
    const ProblemReport& problem = report.problems.front();
    CHECK(seen.refused == 0);
    CHECK(problem.choice == 1);
    CHECK(problem.outcome == ProblemOutcome::locked_in);
    CHECK_THAT(problem.configs[2].rejection.value_or(""), ContainsSubstring("`keep` does not allow it"));
  }
}

TEST_CASE("holds 24: a default that a later size does not allow is not chosen, and stays the fallback") {
  for (const int n_repeat : {1, 3}) {  // it is refused in the final run, or while it is measured
    const std::string name = "keep_later_default" + std::to_string(n_repeat);
    int refused = 0;
    SizedKernel kernel{name,
                       tiles_up_to_128(),
                       [](int) { return single_problem(); },
                       [&](const Tile& tile, int n) {
                         refused += tile.tile < n && tile.tile != 16 ? 1 : 0;
                         return tile.tile;
                       },
                       {.keep = [](const Tile& tile, int n) { return tile.tile >= n; }}};
    int runs = 0;
    const Options options = quick(times([](const LaunchInfo& launch) {
                                    return 1'000 + 1'000 * static_cast<std::int64_t>(launch.config_id);
                                  }),
                                  {.n_repeat = n_repeat});
    const RegionReport report = tuned(options, name, [&] { return kernel(++runs > 2 ? 40 : 16); });
    CHECK(report.problems.front().choice == 1);
    CHECK(report.problems.front().outcome == ProblemOutcome::locked_in);
    CHECK(refused == 0);
  }
}

TEST_CASE("holds 24: a final run with another size chooses what it allows") {
  Launches seen;
  const auto kernel = sized_kernel("keep_final", seen);
  int runs = 0;
  ContextualAutotuner tuner{quick()};
  const int last = tuner.run("keep_final", [&] { return (*kernel)(++runs > 6 ? 70 : 128); });
  CHECK(last == 64);
  CHECK(seen.refused == 0);
  CHECK(problem_of(tuner, "keep_final", "keep_final").choice == 1);
}

TEST_CASE("holds 24: a default that takes a choice's place and is refused then is left out, not rejected") {
  std::vector<int> tiles;
  SizedKernel kernel{
      "keep_final_default",
      tiles_up_to_128(),
      [](int) { return single_problem(); },
      [&](const Tile& tile, int) {
        tiles.push_back(tile.tile);
        return tile.tile;
      },
      {.keep = [](const Tile& tile, int n) { return n == 128 || tile.tile == 64 || tile.tile == n; }}};
  const Options options = quick(times([](const LaunchInfo& launch) {
    return launch.config_id == 2   ? std::int64_t{1'000}
           : launch.config_id == 0 ? std::int64_t{2'000}
                                   : std::int64_t{3'000};
  }));
  int runs = 0;
  const RegionReport report = tuned(options, "keep_final_default", [&] {
    ++runs;
    kernel(runs <= 6 ? 128 : runs == 7 ? 16 : 70);
  });
  CHECK(std::vector<int>(tiles.begin() + 6, tiles.end()) == std::vector<int>{16, 16, 64});
  const ProblemReport& problem = report.problems.front();
  CHECK(problem.choice == 1);
  CHECK(problem.outcome == ProblemOutcome::locked_in);
  CHECK(problem.configs[0].left_out);
  CHECK_FALSE(problem.configs[0].rejection.has_value());
  CHECK(problem.configs[2].rejection.has_value());
}

TEST_CASE("holds 24: a wrapped region, a run and a function tune again what another size refuses") {
  enum class By { wrapped, run, function, with_options };
  for (const By by : {By::wrapped, By::run, By::function, By::with_options}) {
    const std::string name = "keep_again_" + std::to_string(static_cast<int>(by));
    Launches seen;
    const auto kernel = sized_kernel(name, seen);
    ContextualAutotuner tuner{quick()};
    auto wrapped = make_tuned_region(tuner, name, [&](int n) { return (*kernel)(n); });
    auto function = autotune(
        name + "_function", tiles_up_to_128(), [](int) { return single_problem(); },
        [&](const Tile& tile, int n) { return seen.note(tile, n); }, {.keep = tile_fits, .options = quick()});
    const auto call = [&](int n) {
      return by == By::wrapped    ? wrapped(n)
             : by == By::run      ? tuner.run(name, [&] { return (*kernel)(n); })
             : by == By::function ? function(n)
                                  : function.with({.autotune = true}, n);
    };
    REQUIRE(call(128) == 128);
    StderrCapture captured;
    CHECK(call(70) == 64);
    CHECK(count_of(captured.text(), "`keep` does not allow it") == 1);
    // Neither size tunes again: 64 is allowed for both.
    seen.tiles.clear();
    CHECK(call(128) == 64);
    CHECK(call(70) == 64);
    CHECK(seen.tiles == std::vector<int>{64, 64});
    CHECK(seen.refused == 0);
  }
}

TEST_CASE("holds 24: outside of tuning a refused choice gives way to the default, for that launch") {
  for (const Mode mode : {Mode::tune, Mode::use}) {
    const std::string name = mode == Mode::tune ? "keep_outside" : "keep_use";
    Launches seen;
    const auto kernel = sized_kernel(name, seen);
    ContextualAutotuner{quick()}.run(name, [&] { (*kernel)(128); });
    ContextualAutotuner serving{quick({.mode = mode})};
    const auto launch = [&](int n) {
      return mode == Mode::tune ? (*kernel)(n) : serving.run(name, [&] { return (*kernel)(n); });
    };
    StderrCapture captured;
    CHECK(launch(70) == 16);
    CHECK(launch(128) == 128);
    CHECK(launch(70) == 16);
    CHECK(count_of(captured.text(), "\n") == 1);
    CHECK_THAT(captured.text(), ContainsSubstring("config-2 {TILE: 128}, which was chosen, is not launched"));
    CHECK(seen.refused == 0);
  }
}

TEST_CASE("holds 24: a default that `keep` does not allow is never launched in silence, and said once") {
  enum class By { launch, run, function, fixed, default_call, after_a_choice, fallback };
  for (const By by :
       {By::launch, By::run, By::function, By::fixed, By::default_call, By::after_a_choice, By::fallback}) {
    const std::string name = "keep_default_" + std::to_string(static_cast<int>(by));
    CAPTURE(name);
    int refused = 0;
    const auto keep = [](const Tile& tile, int n) { return n == 16 || tile.tile == 64; };
    const auto launcher = [&](const Tile& tile, int n) {
      refused += keep(tile, n) ? 0 : 1;
      if (by == By::fallback && tile.tile == 64) {
        throw ConfigRejected("no such tile");
      }
      return tile.tile;
    };
    const auto key = [](int) { return single_problem(); };
    SizedKernel kernel{name, tiles_up_to_128(), key, launcher, {.keep = keep}};
    auto function =
        autotune(name + "_function", tiles_up_to_128(), key, launcher, {.keep = keep, .options = quick()});
    ContextualAutotuner tuner{quick()};
    if (by == By::after_a_choice) {
      tuner.run(name, [&] { kernel(16); });
    }
    const StderrCapture captured;
    for (int call = 0; call < 2; ++call) {
      switch (by) {
        case By::launch:
        case By::after_a_choice:
          kernel(70);
          break;
        case By::run:
        case By::fallback:
          tuner.run(name, [&] { kernel(70); });
          break;
        case By::function:
          function(70);
          break;
        case By::fixed:
          function.with({.fixed = {{"TILE", 16}}}, 70);
          break;
        case By::default_call:
          function.with({.autotune = false}, 70);
          break;
      }
    }
    CHECK(refused > 0);
    CHECK(count_of(captured.text(), "the default, config-0 {TILE: 16}, is launched, though `keep`") == 1);
    if (by == By::run || by == By::fallback) {
      const auto warnings = tuner.report(name).warnings;
      CHECK(std::count_if(warnings.begin(), warnings.end(), [](const std::string& warning) {
              return warning.find("the default, config-0") != std::string::npos;
            }) == 1);
    }
  }
}

TEST_CASE("holds 24: where `keep` allows nothing the default is launched and not tuned for ever") {
  Launches seen;
  const auto kernel = sized_kernel("keep_nothing", seen);
  ContextualAutotuner tuner{quick()};
  auto wrapped = make_tuned_region(tuner, "keep_nothing", [&](int n) { return (*kernel)(n); });
  CHECK(wrapped(128) == 128);
  CHECK(wrapped(8) == 16);
  CHECK(wrapped(8) == 16);
  seen.tiles.clear();
  CHECK(wrapped(8) == 16);
  CHECK(wrapped(128) == 16);
  CHECK(seen.tiles == std::vector<int>{16, 16});
}

TEST_CASE("holds 24: a launch that one rank's size refuses rejects the config on all ranks") {
  for (const bool from_the_start : {true, false}) {
    SizedRanks ranks(from_the_start ? "keep_ranks_first" : "keep_ranks_later");
    const RankRuns outcome = run_on_ranks(2, [&](int rank, int run) {
      const bool small = rank == 1 && (from_the_start || run > 1);
      (*ranks.kernels[rank])(small ? 70 : 128);
    });
    CHECK(outcome.well());
    for (std::size_t rank = 0; rank < 2; ++rank) {
      CHECK(ranks.seen[rank].refused == 0);
      CHECK(outcome.reports[rank].problems.front().choice == 1);
    }
  }
}

TEST_CASE("holds 24: what one rank's size refuses later is an error there, and out when the ranks meet") {
  SizedRanks ranks("keep_meet");
  PerRank<std::string> texts(2);
  PerRank<int> last(2);
  const StderrCapture captured;
  check_well(on_ranks(2, [&](int rank, ContextualAutotuner& tuner) {
    int n = 128;
    const auto region = [&] { return (*ranks.kernels[rank])(n); };
    auto wrapped = make_tuned_region(tuner, "keep_meet", region);
    wrapped();
    n = rank == 1 ? 70 : 128;
    texts[rank] = error_text<ConfigRejected>([&] { wrapped(); });
    last[rank] = tuner.run("keep_meet", region);
    wrapped();
  }));
  CHECK(texts[0] == "[no error]");
  CHECK_THAT(texts[1], ContainsSubstring("`keep` does not allow it"));
  CHECK(last == std::vector<int>{64, 64});
  CHECK(ranks.seen[0].refused + ranks.seen[1].refused == 0);
}

TEST_CASE("holds 24: in a run with nothing to tune, ranks tune together what one of them refuses") {
  SizedRanks ranks("keep_plain");
  PerRank<int> last(2);
  const StderrCapture captured;
  check_well(on_ranks(2, [&](int rank, ContextualAutotuner& tuner) {
    for (const int n : {128, rank == 1 ? 70 : 128}) {
      last[rank] = tuner.run("keep_plain", [&] { return (*ranks.kernels[rank])(n); });
    }
  }));
  CHECK(last == std::vector<int>{64, 64});
  CHECK(ranks.seen[0].refused + ranks.seen[1].refused == 0);
}

TEST_CASE("holds 24: a coupled choice that a size refuses ends the call, and the next one leaves it out") {
  Launches producer_seen;
  Launches consumer_seen;
  const auto producer = sized_kernel("keep_coupled_a", producer_seen, {.coupling = "keep_coupled"});
  const auto consumer = sized_kernel("keep_coupled_b", consumer_seen, {.coupling = "keep_coupled"});
  ContextualAutotuner tuner{quick()};
  auto step = make_tuned_region(tuner, "keep_coupled",
                                [&](int n) { return 1000 * (*producer)(128) + (*consumer)(n); });
  REQUIRE(step(128) == 128'128);
  const StderrCapture captured;
  CHECK_THAT(error_text<ConfigRejected>([&] { step(70); }), ContainsSubstring("`keep` does not allow it"));
  CHECK(step(70) == 64'064);
  CHECK(step(128) == 64'064);
  CHECK(producer_seen.refused + consumer_seen.refused == 0);
}

TEST_CASE("holds 24: coupled kernels of which a later size refuses a config end the run before the launch") {
  Launches producer_seen;
  Launches consumer_seen;
  const auto producer =
      sized_kernel("keep_coupled_later_a", producer_seen, {.coupling = "keep_coupled_later"});
  const auto consumer =
      sized_kernel("keep_coupled_later_b", consumer_seen, {.coupling = "keep_coupled_later"});
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  const auto region = [&] { return 1000 * (*producer)(128) + (*consumer)(++runs > 4 ? 70 : 128); };
  CHECK_THAT(error_text<Error>([&] { tuner.run("keep_coupled_later", region); }),
             ContainsAll("coupled kernel", "`keep` does not allow it"));
  CHECK(tuner.run("keep_coupled_later", region) == 64'064);
  CHECK(producer_seen.refused + consumer_seen.refused == 0);
}

TEST_CASE("holds 24: an alternative that other arguments refuse gives way to the first one") {
  int refused = 0;
  int last = 0;
  Alternatives<int(int)> either{"keep_alternative",
                                [](const int&) { return single_problem(); },
                                {{"plain", [](int&) { return 1; }},
                                 {"wide",
                                  [&](int& n) {
                                    refused += n < 100 ? 1 : 0;
                                    return 2;
                                  },
                                  [](const int& n) { return n >= 100; }}}};
  const Options options = quick(testing::scripted_timer(
      [](const LaunchInfo&) { return std::int64_t{100}; },
      [&last](std::int64_t, const auto&) { return last == 2 ? std::int64_t{500} : std::int64_t{1000}; }));
  ContextualAutotuner tuner{options};
  auto wrapped = make_tuned_region(tuner, "keep_alternative", [&](int n) { return last = either(n); });
  REQUIRE(wrapped(128) == 2);
  const StderrCapture captured;
  CHECK(either(70) == 1);
  CHECK(either(128) == 2);
  CHECK(wrapped(70) == 1);
  CHECK(wrapped(128) == 1);
  CHECK(refused == 0);
}

TEST_CASE("holds 24: a choice of an earlier process is tuned again for a size that refuses it") {
  const TemporaryDirectory directory;
  detail::describe_machine("test", [] { return std::string("alike"); });
  Launches seen;
  const auto kernel = sized_kernel("keep_kept", seen);
  for (const int n : {128, 70, 128}) {
    seen.tiles.clear();
    const StderrCapture captured;
    const kept_test::Alone alone = kept_test::run_alone(directory.path(), "keep_kept", [&] { (*kernel)(n); });
    CHECK(alone.error.empty());
    CHECK(seen.tiles.back() == (n == 128 && seen.tiles.size() > 1 ? 128 : 64));
    CHECK(seen.refused == 0);
  }
  CHECK(seen.tiles == std::vector<int>{64});
}

TEST_CASE("holds 24: a KernelTuner returns what is allowed for the arguments") {
  const TemporaryDirectory directory;
  Launches seen;
  const auto kernel = sized_kernel("keep_tuner", seen);
  KernelTunerOptions options{.tuning = quick()};
  options.tuning.cache_directory = directory.path();
  KernelTuner tuner{*kernel, options};
  CHECK(tuner.tune({.problem_size = {1}}, 128).best_config_id == 2);
  CHECK(tuner.tune({.problem_size = {1}}, 70).best_config_id == 1);
  CHECK(tuner.tune({.problem_size = {1}}, 70).from_cache);
  CHECK(seen.refused == 0);
}

}  // namespace contextual::test::sized_test::keep_sizes_test
