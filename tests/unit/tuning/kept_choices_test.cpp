/// \file
/// Choices that outlive the process.

#include "contextual/tuning/kept_choices.hpp"

#include "contextual/storage/region_file.hpp"
#include "support/stderr_capture.hpp"
#include "unit/tuning/changed_options.hpp"
#include "unit/tuning/kept_process.hpp"

#include <span>

namespace contextual::test::kept_test::kept_choices_test {

TEST_CASE("kept choices: another process begins with them and tunes nothing") {
  const TemporaryDirectory directory;
  const Process process{.directory = directory.path()};
  CHECK(run(process).tuned(2));
  const Seen again = run(process);
  CHECK(again.used(2));
  const ProblemReport& problem = only(again.reports[0].problems);
  CHECK(problem.kernel == "kept");
  CHECK(problem.key == "(7)");
  CHECK(problem.choice == 2);
  CHECK(problem.reused);
  CHECK(problem.outcome == ProblemOutcome::locked_in);
  CHECK_THAT(problem.reason, ContainsAll("kept since 20", "fastest by own time"));
  only_file(directory.path());
  CHECK(run({}).tuned(2));  // without a directory nothing is read
}

TEST_CASE("kept choices: a changed version, config space or machine does not count, and is kept beside") {
  const TemporaryDirectory directory;
  const Process process{.directory = directory.path()};
  CHECK(run(process).tuned(2));
  Process other = process;
  other.version = [](int) { return "2"; };
  CHECK(run(other).tuned(2));
  CHECK(run(other).used(2));
  other = process;
  other.configs = 4;
  other.fastest = 3;
  CHECK(run(other).tuned(3));
  CHECK(run(other).used(3));
  other.machine = [](int) { return "another device"; };
  CHECK(run(other).tuned(3));
  CHECK(run(other).used(3));
  CHECK(run(process).used(2));  // what did not count for the others still counts here
}

TEST_CASE("kept choices: a higher search level than theirs tunes on, the same one and lower ones use them") {
  const TemporaryDirectory directory;
  const auto runs = [&](SearchLevel level, Mode mode = Mode::tune) {
    const Seen seen = run({.directory = directory.path(),
                           .kernel = "kept_levels",
                           .region = "levels",
                           .mode = mode,
                           .change = [level](Options& options) {
                             options.search = level;
                             options.search_settings.closing_rounds = 0;  // makespans are of the real clock
                           }});
    CHECK(seen.well());
    return seen.runs.at(0);
  };
  CHECK(runs(SearchLevel::off) > 4);
  CHECK(runs(SearchLevel::off) == 1);
  CHECK(runs(SearchLevel::thorough, Mode::use) == 1);
  const StderrCapture said;
  CHECK(runs(SearchLevel::normal) > 4);
  CHECK_THAT(said.text(), ContainsSubstring("they were found by search off, and normal is asked for"));
  CHECK(runs(SearchLevel::normal) == 1);
  CHECK(runs(SearchLevel::quick) == 1);
  CHECK(runs(SearchLevel::off) == 1);
  CHECK(runs(SearchLevel::thorough) > 4);
  CHECK(runs(SearchLevel::normal) == 1);
  CHECK(runs(SearchLevel::thorough) == 1);
  CHECK(KeptChoices(directory.path()).list().sets.at(0).search == SearchLevel::thorough);
}

TEST_CASE("kept choices: where none fits, one line says what differs") {
  const TemporaryDirectory directory;
  const Process process{
      .ranks = 2, .directory = directory.path(), .kernel = "kept_misfit", .region = "misfit"};
  REQUIRE(run(process).tuned(2));
  const auto said_by = [](const Process& other) {
    const StderrCapture said;
    run(other);
    return said.text();
  };
  const std::string begin = "[contextual] warning: region \"misfit\": choices of 20";
  const auto check = [&](const Process& other, const std::string& why) {
    const std::string said = said_by(other);
    CHECK(count_of(said, "are not used") == 1);
    CHECK_THAT(said, ContainsAll(begin, why));
  };
  Process other = process;
  other.mode = Mode::use;
  CHECK_THAT(said_by(other), !ContainsSubstring("are not used"));
  Process changed = other;
  changed.machine = [](int rank) { return rank == 1 ? "another device" : "as ever"; };
  check(changed,
        "another machine, or with other settings (test on rank 1: then \"as ever\", now \"another device\")");
  changed = other;
  changed.version = [](int) { return "2"; };
  check(changed, "kernel \"kept_misfit\" is of another program, build or version than then");
  changed = other;
  changed.ranks = 3;
  check(changed, "they are of 2 ranks, and here are 3");
  // Beside a set that is used, others are as they should be.
  changed = process;
  changed.version = [](int) { return "3"; };
  static_cast<void>(said_by(changed));
  CHECK_THAT(said_by(changed), !ContainsSubstring("are not used"));
}

TEST_CASE("holds 22: choices that were kept without a look at the outputs do not count with them") {
  const TemporaryDirectory directory;
  std::array<float, 4> out{};
  Process process{.directory = directory.path(), .kernel = "kept_outputs", .region = "kept outputs"};
  process.launcher = [&](const TileConfig& config, int&) {
    std::fill_n(out.begin(), config.tile == 3 ? 2 : 4, 1.0F);  // the last one is the fastest, and wrong
  };
  CHECK(run(process).tuned(2));
  process.change = [&](Options& options) { options.outputs = std::vector{output("out", std::span(out))}; };
  CHECK(run(process).tuned(0));
  CHECK(run(process).used(0));
}

TEST_CASE("kept choices: a start with them names them on stderr, in the log and in the report") {
  const TemporaryDirectory directory;
  const TemporaryDirectory logs;
  REQUIRE(run({.directory = directory.path(), .kernel = "kept_named", .region = "named"}).tuned(2));
  const auto kernel = rank_kernel("kept_named", 3);
  const Options options{.cache_directory = directory.path(), .print = Print::choices};
  const auto start = [&](Mode mode, const auto& use) {
    detail::describe_machine("test", [] { return std::string("as ever"); });
    testing::ScriptedWorld world(1);
    const StderrCapture said;
    CHECK(count_failed(world.run([&](int, const std::shared_ptr<Communicator>& communicator) {
            ContextualAutotuner tuner(rank_options(communicator));
            Options of_start = options;
            of_start.communicator = communicator;
            of_start.mode = mode;
            of_start.log_directory = logs.path();
            use(tuner, of_start);
          })) == 0);
    return said.text();
  };
  const auto region = [&] { (*kernel)(7); };
  const std::string choice = "kept_named  (7)  {TILE: 3}";
  const std::string tuned = start(Mode::tune, [&](ContextualAutotuner& tuner, const Options& of_start) {
    tuner.run("named", region, of_start);
    const RegionReport report = *tuner.report().runs.rbegin();
    CHECK_THAT(report.to_string(), ContainsAll(choice, "(from an earlier run)"));
    CHECK(report.log_directory == logs.path().string());
  });
  CHECK_THAT(tuned, ContainsAll("[contextual] named: choices", choice));
  const std::string log = text_of_file(logs.path() / "rank-0.log");
  CHECK_THAT(log, ContainsAll("{TILE: 3}", "kept since 20"));
  CHECK_THAT(text_of_file(logs.path() / "rank-0.jsonl"), ContainsSubstring("\"event\":\"choice\""));
  const std::string used = start(Mode::use, [&](ContextualAutotuner& tuner, const Options& of_start) {
    tuner.run("named", region, of_start);
    tuner.run("named", region, of_start);
    CHECK(tuner.report().runs.back().mode == Mode::use);
  });
  CHECK(count_of(used, choice) == 1);
  const std::string log_with_use = text_of_file(logs.path() / "rank-0.log");
  CHECK(count_of(log_with_use, "kept since 20") == 2);
  CHECK(count_of(log, "kept since 20") == 1);
  const std::string off = start(Mode::off, [&](ContextualAutotuner& tuner, const Options& of_start) {
    tuner.run("named", region, of_start);
    tuner.run("named", region, of_start);
    CHECK(tuner.report().runs.back().mode == Mode::off);
    CHECK_THAT(tuner.report().runs.back().to_string(), ContainsSubstring("named: mode off"));
  });
  CHECK(count_of(off, "[contextual] named: mode off: nothing is tuned") == 1);
  CHECK_THAT(off, !ContainsSubstring(choice));
  CHECK(text_of_file(logs.path() / "rank-0.log") == log_with_use);  // that mode writes no log
}

TEST_CASE("kept choices: where nothing can be written one warning in a process says so, and runs are well") {
  Process process{.directory = "/proc/no-directory-can-be-made-here"};
  const StderrCapture said;
  const Seen seen = run(process);
  CHECK_THAT(said.text(), ContainsSubstring("no choices are kept, and no run can be resumed: "));
  CHECK(seen.tuned(2));
  CHECK_THAT(only(seen.reports[0].warnings),
             ContainsSubstring("no choices are kept, and no run can be resumed: "
                               "/proc/no-directory-can-be-made-here"));
  const Seen again = run(process);
  CHECK(again.tuned(2));
  CHECK(again.reports[0].warnings.empty());
  process.directory = "/proc/neither-here";
  process.journal = Journal::off;
  CHECK(run(process).reports[0].warnings.size() == 1);
}

TEST_CASE("kept choices: what an alternative launches is kept with it") {
  const TemporaryDirectory directory;
  for (const bool first : {true, false}) {
    std::size_t inner = 0;
    int alternative = -1;
    int runs = 0;
    const auto kernel = rank_kernel("kept_inner", 3, {}, [&](const TileConfig& config, int&) {
      inner = static_cast<std::size_t>(config.tile - 1);
    });
    Alternatives<void(int)> ways{
        "kept_ways",
        [](const int& key) { return make_key(key); },
        {{"twice", [&](int key) { alternative = 0, (*kernel)(key), (*kernel)(key); }},
         {"once", [&](int key) { alternative = 1, (*kernel)(key); }}}};
    const Alone alone = run_alone(
        directory.path(), "kept alternatives", [&] { ++runs, ways(1); },
        [](Options& options) { options.search = SearchLevel::normal; });
    CHECK(alone.error.empty());
    CHECK(alternative == 1);
    CHECK(inner == 2);
    CHECK((runs == 1) == !first);
  }
}

TEST_CASE("kept choices: those of long keys are found again, and kept with all of the key's parts") {
  const TemporaryDirectory directory;
  detail::describe_machine("test", [] { return std::string("alike"); });
  for (const bool first : {true, false}) {
    std::vector<int> used(2);
    int runs = 0;
    TunableKernel kernel{"kept_long_keys",
                         tiles(3),
                         [](const std::vector<int>& shape) { return make_key(shape, std::optional<int>(7)); },
                         [&](const TileConfig& config, const std::vector<int>& shape) {
                           used[shape[0] == 1 ? 0 : 1] = config.tile;
                         },
                         {.key_names = {"shape", "device"}}};
    const Alone alone = run_alone(
        directory.path(), "kept long keys",
        [&] {
          ++runs;
          kernel(std::vector<int>(15, 1));
          kernel(std::vector<int>(15, 2));
        },
        [](Options& options) {
          options.timer = testing::scripted_timer([](const LaunchInfo& launch) {
            const bool one = *launch.key == make_key(std::vector<int>(15, 1), std::optional<int>(7));
            return std::int64_t{1000} * (launch.config_id == (one ? 1U : 2U) ? 1 : 5);
          });
        });
    CHECK(alone.error.empty());
    CHECK(used == std::vector<int>{2, 3});
    CHECK((runs == 1) == !first);
    REQUIRE(alone.report.problems.size() == 2);
    CHECK(alone.report.problems[0].reused == !first);
    CHECK(alone.report.problems[0].key ==
          "{shape: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], device: 7}");
  }
  const std::string text = text_of_file(only_file(directory.path()));
  CHECK_THAT(text, ContainsSubstring("{shape: [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2], device: 7}"));
  CHECK_THAT(text, !ContainsSubstring("digest "));
}

TEST_CASE("kept choices: what one rank cannot prepare no rank uses, whatever is thrown") {
  for (const int kind : {0, 1, 2, 3}) {
    const TemporaryDirectory directory;
    const std::string name = "kept_unprepared_" + std::to_string(kind);
    for (const bool first : {true, false}) {
      PerRank<int> runs(2);
      const RankKernels kernels = kernel_per_rank(2, [&](int) {
        return rank_kernel(name, 3, {.load = [&](const TileConfig& config) {
                             if (first || this_machine != "rank 1" || config.tile != 3 || kind == 0) {
                               return;
                             }
                             throw_if<ConfigRejected>(kind == 1, "no memory");
                             if (kind == 2) {
                               throw 5;
                             }
                             throw DeviceError("broken", {});
                           }});
      });
      detail::describe_machine("test", [] { return std::string("alike"); });
      const auto thrown =
          in_process(2, directory.path(), [&](int rank, ContextualAutotuner& tuner, const Options& options) {
            this_machine = "rank " + std::to_string(rank);
            tuner.run(
                "kept unprepared", [&] { ++runs[rank], kernels(rank, 1); }, options);
          });
      INFO("kind " << kind << ": " << text_of(thrown[0]) << "; " << text_of(thrown[1]));
      if (first || kind < 3) {
        check_well(thrown);
        CHECK((runs[0] == 1) == (!first && kind == 0));
        CHECK(runs[0] == runs[1]);
      } else {
        CHECK(threw<RegionFailedError>(thrown[0]));
        CHECK(threw<DeviceError>(thrown[1]));
      }
    }
  }
}

TEST_CASE("kept choices: count only with the versions of another rank's kernel, and of a coupled partner") {
  const bool coupled = GENERATE(false, true);
  INFO((coupled ? "coupled" : "on other ranks"));
  const TemporaryDirectory directory;
  const auto runs_with = [&](const std::string& version) {
    RankKernel::Options options{.participation = Participation::some};
    if (coupled) {
      options = {.coupling = "kept_pair"};
    }
    const auto own = rank_kernel(coupled ? "kept_send" : "kept_of_zero", 3, options);
    options.version = version;
    const auto other = rank_kernel(coupled ? "kept_receive" : "kept_of_one", 3, options);
    int runs = 0;
    check_well(
        in_process(2, directory.path(), [&](int rank, ContextualAutotuner& tuner, const Options& options) {
          tuner.run(
              "kept versions",
              [&] {
                if (rank == 0) {
                  ++runs;
                }
                if (coupled || rank == 0) {
                  (*own)(1);
                }
                if (coupled || rank == 1) {
                  (*other)(1);
                }
              },
              options);
        }));
    return runs;
  };
  CHECK(runs_with("1") > 1);
  CHECK(runs_with("1") == 1);
  CHECK(runs_with("2") > 1);
  CHECK(runs_with("1") == 1);
}

TEST_CASE("kept choices: in mode use the ranks meet for a region only where choices are kept") {
  const auto kernel = rank_kernel("kept_alone", 2);
  check_well(on_ranks(2, [&](int rank, ContextualAutotuner& tuner) {
    const Options options{.mode = Mode::use};
    tuner.run(
        "all", [] {}, options);
    if (rank == 0) {
      tuner.run(
          "only rank 0", [] {}, options);
    }
    tuner.run(
        "all", [] {}, options);
  }));
}

TEST_CASE("kept choices: what this process has locked in stays, whatever the disk says") {
  const TemporaryDirectory directory;
  REQUIRE(run({.directory = directory.path(), .kernel = "kept_stays"}).tuned(2));
  std::vector<int> used;  // after each run
  check_well(on_ranks(1, [&](int, ContextualAutotuner& first, const auto& ranks) {
    int tile = 0;
    const auto kernel =
        rank_kernel("kept_stays", 3, {}, [&](const TileConfig& config, int&) { tile = config.tile; });
    const auto run_by = [&](ContextualAutotuner& tuner, const Options& options) {
      tuner.run(
          "kept region", [&] { (*kernel)(7); }, options);
      used.push_back(tile);
    };
    run_by(first, {.timer = testing::scripted_timer([](const LaunchInfo& launch) {
                     return 1000 + 1000 * static_cast<std::int64_t>(launch.config_id);
                   })});
    ContextualAutotuner second(rank_options(ranks));
    run_by(second, {.cache_directory = directory.path()});
  }));
  CHECK(used == std::vector<int>{1, 1});
}

TEST_CASE("kept choices: after a run with options that make no sense they are still looked for") {
  const TemporaryDirectory directory;
  REQUIRE(run({.directory = directory.path(), .kernel = "kept_late"}).tuned(2));
  int runs = 0;
  const auto kernel = rank_kernel("kept_late", 3);
  check_well(in_process(1, directory.path(), [&](int, ContextualAutotuner& tuner, Options options) {
    this_machine = "as ever";
    const auto region = [&] { ++runs, (*kernel)(7); };
    options.n_repeat = -1;
    try {
      tuner.run("kept region", region, options);
    } catch (const InvalidArgument&) {
      options.n_repeat.reset();
    }
    tuner.run("kept region", region, options);
  }));
  CHECK(runs == 1);
}

TEST_CASE("kept choices: a kernel's choices in other regions stay when an old set names it") {
  const TemporaryDirectory directory;
  const auto runs_in = [&](ContextualAutotuner& tuner, const std::string& region, const std::string& version,
                           const fs::path& where) {
    int runs = 0;
    tuner.run(region, [&] { ++runs, (*rank_kernel("kept_made_anew", 3, {.version = version}))(1); },
              {.cache_directory = where});
    return runs;
  };
  std::vector<int> runs;
  const auto thrown = on_ranks(
      1, [&](int, ContextualAutotuner& tuner) { runs_in(tuner, "kept old", "1", directory.path()); });
  const auto later = on_ranks(1, [&](int, ContextualAutotuner& tuner) {
    runs = {runs_in(tuner, "kept other", "2", ""), runs_in(tuner, "kept other", "2", ""),
            runs_in(tuner, "kept old", "2", directory.path()), runs_in(tuner, "kept other", "2", "")};
  });
  check_well(thrown);
  CHECK(text_of(later[0]).empty());
  REQUIRE(runs.size() == 4);
  CHECK(runs[0] > 1);
  CHECK(runs[1] == 1);
  CHECK(runs[2] > 1);
  CHECK(runs[3] == 1);
}

TEST_CASE("kept choices: load installs them for launches outside of a run") {
  const TemporaryDirectory directory;
  for (const bool first : {true, false}) {
    PerRank<std::size_t> used(2, 9);
    PerRank<int> runs(2);
    PerRank<int> loaded(2);
    const RankKernels kernels = kernel_per_rank(2, [&](int rank) {
      return rank_kernel("kept_loaded" + std::to_string(rank), 3, {.participation = Participation::some},
                         [&used, rank](const TileConfig& config, int&) {
                           used[rank] = static_cast<std::size_t>(config.tile - 1);
                         });
    });
    check_well(
        in_process(2, directory.path(), [&](int rank, ContextualAutotuner& tuner, const Options& options) {
          loaded[rank] = tuner.load("kept loaded", options) ? 1 : 0;
          if (!first) {
            kernels(rank, 1);
          }
          tuner.run(
              "kept loaded", [&] { ++runs[rank], kernels(rank, 1); }, options);
        }));
    CHECK(loaded == std::vector<int>(2, first ? 0 : 1));
    CHECK(used == std::vector<std::size_t>(2, 2));
    CHECK((runs[0] == 1) == !first);
    CHECK(runs[0] == runs[1]);
  }
}

TEST_CASE("kept choices: load takes what any search has found, and a run that asks for more tunes on") {
  const TemporaryDirectory directory;
  const auto with = [&](const Options& given, SearchLevel level) {
    Options options = given;
    options.search = level;
    options.search_settings.closing_rounds = 0;  // makespans are of the real clock
    return options;
  };
  PerRank<int> runs(2);
  const auto process = [&](const std::function<void(int, ContextualAutotuner&, const Options&,
                                                    const std::function<int(SearchLevel)>&)>& body) {
    const RankKernels kernels = kernel_per_rank(2, [](int) { return rank_kernel("kept_load_levels", 3); });
    const auto thrown =
        in_process(2, directory.path(), [&](int rank, ContextualAutotuner& tuner, const Options& options) {
          body(rank, tuner, options, [&](SearchLevel level) {
            runs[rank] = 0;
            tuner.run(
                "kept load levels", [&] { ++runs[rank], kernels(rank, 1); }, with(options, level));
            return runs[rank];
          });
        });
    CHECK(text_of(thrown[0]) + text_of(thrown[1]) == "");
  };
  PerRank<std::vector<int>> seen(2);
  const StderrCapture said;
  process([&](int rank, auto&, const Options&, const auto& run) { seen[rank] = {run(SearchLevel::quick)}; });
  CHECK(seen[0].at(0) > 1);
  process([&](int rank, ContextualAutotuner& tuner, const Options& options, const auto& run) {
    seen[rank] = {tuner.load("kept load levels", with(options, SearchLevel::normal)), run(SearchLevel::quick),
                  run(SearchLevel::normal), run(SearchLevel::normal), run(SearchLevel::quick)};
  });
  for (const std::vector<int>& of : seen) {
    REQUIRE(of.size() == 5);
    CHECK(of[0] == 1);
    CHECK(of[1] == 1);
    CHECK(of[2] > 4);
    CHECK(of[3] == 1);
    CHECK(of[4] == 1);
  }
  process([&](int rank, auto&, const Options&, const auto& run) { seen[rank] = {run(SearchLevel::normal)}; });
  CHECK(seen == std::vector<std::vector<int>>(2, {1}));
}

TEST_CASE("kept choices: load refuses a region without a name, and a call within a region") {
  ContextualAutotuner tuner;
  CHECK_THROWS_AS(tuner.load(""), InvalidArgument);
  CHECK_FALSE(tuner.load("kept by nobody"));
  tuner.run("kept within", [&] { CHECK_THROWS_AS(tuner.load("kept by nobody"), InvalidArgument); },
            {.log_directory = ""});
}

TEST_CASE("kept choices: other versions of software count where they may differ, another device never") {
  storage::ChoiceSet entry;
  entry.region = "kept elsewhere";
  entry.machines = {{{"devices", "GPU"}, {"driver", "1"}, {"library", "0.0.9"}},
                    {{"devices", "GPU"}, {"driver", "1"}}};
  storage::KeptChoice& choice = entry.choices.emplace_back();
  choice.kernel = "kept elsewhere";
  choice.launched = {{"kept elsewhere", 1}};
  choice.config = "{}";
  agreement::Hello hello;
  hello.kept_choices = "{}\n" + to_json(storage::RegionFile{entry.region, {}, {entry}});
  const auto usable = [&](const std::vector<detail::Machine>& machines, bool versions_count) {
    hello.machines = machines;
    detail::MadeReady made_ready;
    const tuning::KeptSets sets =
        tuning::look_at_kept_choices(1, 0, hello, versions_count, SearchLevel::off, made_ready);
    return only(sets.outcome.usable);
  };
  CHECK(usable(entry.machines, true));
  std::vector<detail::Machine> newer = entry.machines;
  newer[0]["driver"] = "2";
  newer[0]["library"] = "0.1.0";
  CHECK_FALSE(usable(newer, true));
  CHECK(usable(newer, false));
  std::vector<detail::Machine> others = entry.machines;
  others[1]["devices"] = "other";
  CHECK_FALSE(usable(others, false));
  CHECK_FALSE(usable({entry.machines[0]}, false));
}

TEST_CASE("kept choices: any sequence of modes and regions finds what is kept, and leaves no rank behind") {
  const int ranks = GENERATE(1, 2);
  const TemporaryDirectory directory;
  struct Ran {
    std::vector<int> runs{};  ///< of each step
    int tile = 0;             ///< of the last launch
    bool operator==(const Ran&) const = default;
  };
  const auto start = [&](const std::vector<std::pair<std::string, Mode>>& steps) {
    PerRank<Ran> ran(static_cast<std::size_t>(ranks));
    const RankKernels kernels = kernel_per_rank(ranks, [&](int rank) {
      return rank_kernel("kept_mix" + std::to_string(rank), 3, {.participation = Participation::some},
                         [&own = ran[rank]](const TileConfig& config, int&) { own.tile = config.tile; });
    });
    check_well(
        in_process(ranks, directory.path(), [&](int rank, ContextualAutotuner& tuner, Options options) {
          options.deadline = std::chrono::seconds(5);
          for (const auto& [region, mode] : steps) {
            options.mode = mode;
            ran[rank].runs.push_back(0);
            tuner.run(
                region, [&] { ++ran[rank].runs.back(), kernels(rank, 1); }, options);
          }
        }));
    CHECK(ran.front() == ran.back());
    return ran.front();
  };
  CHECK(start({{"kept mix", Mode::tune}}).runs[0] > 1);
  CHECK(start({{"kept unknown", Mode::use}, {"kept mix", Mode::use}}) == Ran{{1, 1}, 3});
  CHECK(start({{"kept other", Mode::use}, {"kept mix", Mode::tune}, {"kept mix", Mode::use}}) ==
        Ran{{1, 1, 1}, 3});
  CHECK(start({{"kept mix", Mode::off}, {"kept mix", Mode::tune}, {"kept mix", Mode::use}}) ==
        Ran{{1, 1, 1}, 3});
  CHECK(start({{"kept mix", Mode::off}, {"kept mix", Mode::use}, {"kept mix", Mode::tune}}).runs[2] <= 3);
}

TEST_CASE("kept choices: a library that is loaded while the region runs does not change the machine") {
  const TemporaryDirectory directory;
  const auto kernel = rank_kernel("kept_loading", 3, {}, [](const TileConfig&, int&) {
    detail::describe_machine("nccl", [] { return std::string("2.28.3"); });
  });
  const Alone alone = run_alone(directory.path(), "kept loading", [&] { (*kernel)(1); });
  CHECK(alone.error.empty());
  CHECK(alone.report.warnings.empty());
  only_file(directory.path());
}

TEST_CASE("kept choices: what was chosen while the machine changed is not kept, and a warning says so") {
  const TemporaryDirectory directory;
  detail::describe_machine("test", [] { return this_machine; });
  const auto kernel =
      rank_kernel("kept_changing", 3, {}, [](const TileConfig&, int&) { this_machine = "new"; });
  const Alone alone = run_alone(
      directory.path(), "kept changing", [&] { (*kernel)(1); }, [](Options&) { this_machine = "old"; });
  CHECK(alone.error.empty());
  CHECK_THAT(only(alone.report.warnings),
             ContainsSubstring("the machine looked different when the run began"));
  CHECK_FALSE(fs::exists(directory.path() / "choices"));
}

TEST_CASE("kept choices: what was chosen on another machine is where the search begins, too") {
  const int ranks = GENERATE(1, 2);
  const TemporaryDirectory directory;
  using Starts = std::vector<std::vector<Assignment>>;  // by rank
  const auto tune = [&](const std::string& machine, std::size_t fastest, int configs) {
    detail::describe_machine("test", [] { return this_machine; });
    const auto kernels = [&](const std::string& name) {
      return kernel_per_rank(ranks, [&](int) { return rank_kernel(name, configs); });
    };
    const RankKernels one = kernels("begun one");
    const RankKernels two = kernels("begun two");
    Starts starts(static_cast<std::size_t>(ranks));
    check_well(on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner) {
      const auto at = static_cast<std::size_t>(rank);
      this_machine = rank == 1 ? "as ever" : machine;
      Options options{.search = SearchLevel::normal,
                      .cache_directory = rank == 0 ? directory.path() : fs::path(),
                      .timer = testing::scripted_timer([fastest](const LaunchInfo& launch) {
                        return std::int64_t{launch.config_id == fastest ? 10000 : 20000};
                      })};
      options.search_settings.factory = [&starts, at](const SearchRequest& request) {
        starts[at] = request.further_starts;
        return joint_search(request);
      };
      tuner.run(
          "begun elsewhere", [&] { one(rank, 1), two(rank, 1); }, options);
    }));
    return starts;
  };
  const std::vector<Assignment> nothing;
  const std::vector<Assignment> first{{1, 1}};
  CHECK(tune("first", 1, 3) == Starts(static_cast<std::size_t>(ranks), nothing));
  CHECK(tune("second", 2, 3) == Starts(static_cast<std::size_t>(ranks), first));
  // Another space: its configs are known by their parameters, and the newest set comes first.
  const std::vector<Assignment> both{{2, 2}, {1, 1}};
  CHECK(tune("second", 0, 4) == Starts(static_cast<std::size_t>(ranks), both));
  CHECK(tune("third", 2, 2) == Starts(static_cast<std::size_t>(ranks), first));  // it has no third config
}

TEST_CASE("kept choices: defaults that only noise has kept are tuned again by the next process") {
  const bool noisy = GENERATE(false, true);
  INFO("noisy: " << noisy);
  const TemporaryDirectory directory;
  // Coupled, so that they are chosen by makespan.
  const auto one = rank_kernel("unsure_one", 2, {.coupling = "unsure"});
  const auto other = rank_kernel("unsure_other", 2, {.coupling = "unsure"});
  Options options = rank_options(
      nullptr, {.search = SearchLevel::normal, .always_tune = true, .cache_directory = directory.path()});
  std::uint64_t state = 1;
  options.timer = testing::scripted_timer([&](const LaunchInfo& launch) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto noise = static_cast<std::int64_t>(state >> 48U);  // below 65536
    return 100'000 + (noisy ? noise - 10'000 * static_cast<std::int64_t>(launch.config_id) : 0);
  });
  ContextualAutotuner tuner(options);
  tuner.run("unsure", [&] { (*one)(1), (*other)(1); });
  const RegionReport report = tuner.report().runs.back();
  INFO(report.to_string(Detail::why));
  REQUIRE_FALSE(report.searches.empty());
  CHECK(report.searches.back().unsure == noisy);
  CHECK(KeptChoices(directory.path()).list().sets.empty() == noisy);
}

}  // namespace contextual::test::kept_test::kept_choices_test
