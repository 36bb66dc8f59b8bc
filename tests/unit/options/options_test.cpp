/// \file
/// Modes, where options come from, the environment, the progress callback.

#include "contextual/options/resolved_options.hpp"
#include "support/child_process.hpp"
#include "support/engine.hpp"
#include "support/stderr_capture.hpp"

namespace contextual::test::options_test {

namespace {

options::Environment parsed(const std::map<std::string, std::string>& variables) {
  return options::parse_environment([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

/// Sets the process-wide defaults for one test.
class DefaultOptions {
 public:
  explicit DefaultOptions(Options options) {
    options.cache_directory = "";
    set_default_options(options);
  }
  DefaultOptions(const DefaultOptions&) = delete;
  DefaultOptions& operator=(const DefaultOptions&) = delete;
  ~DefaultOptions() { set_default_options({.cache_directory = ""}); }
};

}  // namespace

TEST_CASE("options: mode use runs once with what is locked in and tunes nothing") {
  TunableKernel kernel{"mode_use", blocks(3), [](int n) { return make_key(n); },
                       [](const Block& c, int) { return c.block; }};
  ContextualAutotuner tuner{quick(times([](const LaunchInfo& launch) {
    return launch.config_id == (launch.region == "mode_use_1" ? 1U : 2U) ? 1'000 : 2'000;
  }))};
  tuner.run("mode_use_1", [&] { kernel(1); });
  tuner.run("mode_use_2", [&] { kernel(1); });
  int runs = 0;
  const auto region = [&] {
    ++runs;
    return kernel(1) * 10 + kernel(2);
  };
  CHECK(tuner.run("mode_use_1", region, {.mode = Mode::use}) == 10);
  CHECK(tuner.run("mode_use_2", region, {.mode = Mode::use}) == 20);
  CHECK(tuner.run("mode_use_new", region, {.mode = Mode::use}) == 20);  // the last lock-in of the key
  CHECK(runs == 3);
  const LaunchRegistry& registry = LaunchRegistry::instance();
  CHECK_FALSE(registry.locked_in("mode_use_1", "mode_use", make_key(2)));
  CHECK_FALSE(registry.locked_in("mode_use_new", "mode_use", make_key(1)));
}

TEST_CASE("options: mode off runs once with every kernel's default") {
  TunableKernel kernel{"mode_off", blocks(3), single_problem, [](const Block& c) { return c.block; }};
  ContextualAutotuner tuner{quick()};
  tuner.run("mode_off", [&] { kernel(); });
  int runs = 0;
  CHECK(tuner.run("mode_off",
                  [&] {
                    ++runs;
                    return kernel();
                  },
                  {.mode = Mode::off}) == 0);
  CHECK(runs == 1);
  CHECK(kernel() == 2);
}

TEST_CASE("options: iteration hooks run in every mode") {
  for (const Mode mode : {Mode::use, Mode::off}) {
    std::vector<std::string> order;
    Options options = quick();
    options.mode = mode;
    options.before_iteration = [&](const IterationInfo& info) {
      order.push_back(std::string(info.region) + " " + std::string(to_string(info.phase)));
    };
    options.after_iteration = [&](const IterationInfo&) { order.emplace_back("after"); };
    tuned(options, "mode_hooks", [&] { order.emplace_back("run"); });
    CHECK(order == std::vector<std::string>{"mode_hooks final", "run", "after"});
  }
}

TEST_CASE("options: a wrapped region obeys the mode at every call until it has tuned") {
  TunableKernel kernel{"mode_wrapped", blocks(3), single_problem, [](const Block& c) { return c.block; }};
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  auto step = make_tuned_region(tuner, "mode_wrapped",
                                [&] {
                                  ++runs;
                                  return kernel();
                                },
                                {.mode = Mode::off});
  CHECK(step() == 0);
  CHECK(step() == 0);
  CHECK(runs == 2);
}

TEST_CASE("options: they fall through from call over tuner over process defaults to built in") {
  CHECK(options::resolve({}, {}, {}).policy.n_repeat == 5);
  CHECK(options::resolve({}, {}, {}).policy.n_warmup == 3);
  CHECK(options::resolve({}, {}, {}).log_directory == ".autotune_logs");
  CHECK(options::resolve({}, {}, {}).policy.search == SearchLevel::normal);
  const DefaultOptions defaults({.n_warmup = 7, .n_repeat = 7, .search = SearchLevel::off});
  CHECK(options::resolve({}, {}, {}).policy.n_repeat == 7);
  CHECK(options::resolve({}, {.n_repeat = 8}, {}).policy.n_repeat == 8);
  CHECK(options::resolve({.n_repeat = 9}, {.n_repeat = 8}, {}).policy.n_repeat == 9);
  CHECK(options::resolve({.n_repeat = 9}, {.n_repeat = 8}, {}).policy.n_warmup == 7);
  CHECK(options::resolve({.search = SearchLevel::thorough}, {}, {}).policy.search == SearchLevel::thorough);
}

TEST_CASE("options: a run counts by the call's options over the tuner's") {
  TunableKernel kernel{"options_counts", blocks(2), single_problem, [](const Block&) {}};
  const DefaultOptions defaults(
      {.n_warmup = 1, .n_repeat = 1, .search = SearchLevel::off, .log_directory = ""});
  ContextualAutotuner tuner{{.n_repeat = 2, .timer = last_is_fastest()}};
  int runs = 0;
  const auto region = [&] {
    ++runs;
    kernel();
  };
  tuner.run("options_of_tuner", region);
  CHECK(runs == 2 * (1 + 2) + 1);
  runs = 0;
  tuner.run("options_of_call", region, {.n_repeat = 4});
  CHECK(runs == 2 * (1 + 4) + 1);
}

TEST_CASE("options: set_default_options does not reach a run that goes on") {
  TunableKernel kernel{"options_running", blocks(2), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  tuner.run("options_running", [&] {
    ++runs;
    set_default_options({.n_warmup = 9, .n_repeat = 9});
    kernel();
  });
  set_default_options({.cache_directory = ""});
  CHECK(runs == 5);
}

TEST_CASE("options: the environment goes over options, for operations only") {
  const options::Environment none = parsed({{"CONTEXTUAL_MODE", ""}});
  CHECK_FALSE(none.mode);
  CHECK_FALSE(none.log_directory);
  CHECK_FALSE(none.always_tune);
  CHECK_FALSE(none.print);
  const options::Environment all = parsed({{"CONTEXTUAL_MODE", "use"},
                                           {"CONTEXTUAL_LOG_DIR", "elsewhere"},
                                           {"CONTEXTUAL_ALWAYS_TUNE", "1"},
                                           {"CONTEXTUAL_PRINT_AUTOTUNING", "1"}});
  const auto resolved = options::resolve(
      {.mode = Mode::off, .always_tune = false, .log_directory = "here", .print = Print::nothing}, {},
      {all, {}});
  CHECK(resolved.mode == Mode::use);
  CHECK(resolved.log_directory == "elsewhere");
  CHECK(resolved.always_tune);
  CHECK(resolved.print == Print::choices);
  for (const auto& [text, level] :
       {std::pair{"0", Print::nothing}, std::pair{"1", Print::choices}, std::pair{"2", Print::configs}}) {
    const options::ReadEnvironment set{parsed({{"CONTEXTUAL_PRINT_AUTOTUNING", text}}), {}};
    CHECK(options::resolve({.print = Print::choices}, {}, set).print == level);
  }
  CHECK(options::resolve({}, {}, {parsed({{"CONTEXTUAL_MODE", "tune"}}), {}}).mode == Mode::tune);
}

TEST_CASE("options: a bad environment variable is named with what it may be") {
  const std::string mode = error_text<InvalidArgument>([] { parsed({{"CONTEXTUAL_MODE", "Tune"}}); });
  CHECK_THAT(mode, ContainsSubstring("CONTEXTUAL_MODE"));
  CHECK_THAT(mode, ContainsSubstring("Tune"));
  CHECK_THAT(mode, ContainsSubstring("tune, use or off"));
  for (const auto& [name, values] :
       {std::pair<std::string, std::string>("CONTEXTUAL_ALWAYS_TUNE", "0 or 1"),
        std::pair<std::string, std::string>("CONTEXTUAL_PRINT_AUTOTUNING", "0, 1 or 2")}) {
    const std::string text = error_text<InvalidArgument>([&, n = name] { parsed({{n, "yes"}}); });
    CHECK_THAT(text, ContainsSubstring(name));
    CHECK_THAT(text, ContainsSubstring("yes"));
    CHECK_THAT(text, ContainsSubstring(values));
  }
}

TEST_CASE("options: CONTEXTUAL_MODE=off and a log directory of the environment reach a process") {
  const TemporaryDirectory directory;
  CHECK(run_child("mode off by the environment", {{"CONTEXTUAL_MODE", "off"}}) == 0);
  CHECK(run_child("logs by the environment", {{"CONTEXTUAL_LOG_DIR", directory.path().string()}}) == 0);
  CHECK_THAT(text_of_file(directory.path() / "rank-0.log"), ContainsSubstring("environment_logs"));
}

TEST_CASE("options: CONTEXTUAL_MODE with a bad value is an error of every run") {
  CHECK(run_child("bad mode in the environment", {{"CONTEXTUAL_MODE", "fast"}}) == 0);
}

TEST_CASE("options: the progress callback is called after every batch with what is left") {
  TunableKernel kernel{"progress", blocks(3), single_problem, [](const Block&) {}};
  std::vector<std::int64_t> done;
  std::vector<std::int64_t> expected;
  std::vector<std::string> phases;
  std::vector<std::size_t> open;
  Options options = quick();
  options.progress = [&](const Progress& progress) {
    CHECK(progress.region == "progress");
    done.push_back(progress.iterations_done);
    expected.push_back(progress.iterations_expected);
    phases.emplace_back(to_string(progress.phase));
    open.push_back(progress.open_problems);
  };
  tuned(options, "progress", [&] { kernel(); });
  CHECK(done == std::vector<std::int64_t>{1, 2, 4, 6, 6});
  CHECK(expected == std::vector<std::int64_t>{6, 6, 6, 6, 6});
  CHECK(phases == std::vector<std::string>{"walk", "walk", "walk", "walk", "final"});
  CHECK(open == std::vector<std::size_t>{1, 1, 1, 0, 0});
}

TEST_CASE("child process: default options", "[.child]") {
  ONLY_IF(is_child());
  ::unsetenv("CONTEXTUAL_CACHE_DIR");
  CHECK(options::environment().error.empty());
}

TEST_CASE("child process: mode off by the environment", "[.child]") {
  ONLY_IF(is_child());
  TunableKernel kernel{"environment_off", blocks(3), single_problem, [](const Block& c) { return c.block; }};
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  CHECK(tuner.run("environment_off",
                  [&] {
                    ++runs;
                    return kernel();
                  },
                  {.mode = Mode::tune}) == 0);
  CHECK(runs == 1);
}

TEST_CASE("child process: logs by the environment", "[.child]") {
  ONLY_IF(is_child());
  TunableKernel kernel{"environment_logs", blocks(2), single_problem, [](const Block&) {}};
  tuned("environment_logs", [&] { kernel(); });
}

TEST_CASE("child process: bad mode in the environment", "[.child]") {
  ONLY_IF(is_child());
  TunableKernel kernel{"environment_bad", blocks(2), single_problem, [](const Block& c) { return c.block; }};
  ContextualAutotuner tuner{quick()};
  for (int attempt = 0; attempt < 2; ++attempt) {
    CHECK_THAT(error_text<InvalidArgument>([&] { tuner.run("environment_bad", [&] { kernel(); }); }),
               ContainsSubstring("CONTEXTUAL_MODE=\"fast\""));
  }
  CHECK(kernel() == 0);  // a launch outside of run does not care
}

TEST_CASE(
    "options: variables that begin as the library's and are none of them are named, with those that are") {
  CHECK(options::unknown_variables_text({"HOME", "CONTEXTUAL_MODE", "contextual_mode", "MY_CONTEXTUAL_MODE",
                                         "CONTEXTUAL_RENDEZVOUS_PORT"})
            .empty());
  const std::string text =
      options::unknown_variables_text({"CONTEXTUAL_LOGDIR", "CONTEXTUAL_MODE", "CONTEXTUAL_"});
  CHECK_THAT(text, ContainsSubstring("not known: CONTEXTUAL_LOGDIR, CONTEXTUAL_;"));
  CHECK_THAT(text, ContainsSubstring("those that are: CONTEXTUAL_ALWAYS_TUNE, CONTEXTUAL_CACHE_DIR, ") &&
                       ContainsSubstring(", CONTEXTUAL_MODE, "));
}

TEST_CASE("options: what the environment lacks or has too much is said") {
  const auto said = [](const std::vector<std::pair<std::string, std::string>>& variables) {
    const StderrCapture capture;
    CHECK(run_child("default options", variables) == 0);
    return capture.text();
  };
  CHECK_THAT(said({{"CONTEXTUAL_LOGDIR", "logs"}}), ContainsSubstring("not known: CONTEXTUAL_LOGDIR;"));
  CHECK_THAT(said({{"HOME", ""}}), ContainsSubstring("kept nowhere, because HOME is not set"));
  CHECK_THAT(said({{"HOME", "/nowhere"}}), !ContainsSubstring("HOME"));
}

TEST_CASE("options: choices are kept where the environment says, unless an option says otherwise") {
  const auto resolved = [](const Options& call, const Options& tuner) {
    return options::resolve(call, tuner, {}).cache_directory;
  };
  set_default_options({});  // tests keep no choices
  ::setenv("CONTEXTUAL_CACHE_DIR", "/variable", 1);
  CHECK(resolved({}, {}) == "/variable");
  CHECK(resolved({}, {.cache_directory = "/tuner"}) == "/tuner");
  CHECK(resolved({.cache_directory = ""}, {.cache_directory = "/tuner"}).empty());
  ::setenv("CONTEXTUAL_CACHE_DIR", "", 1);
  CHECK(resolved({}, {}).empty());
  ::unsetenv("CONTEXTUAL_CACHE_DIR");
  set_default_options({.cache_directory = ""});
  CHECK(resolved({}, {}).empty());
  options::ReadEnvironment environment;
  environment.values = parsed({{"CONTEXTUAL_CACHE_DIR", ""}, {"CONTEXTUAL_CHOICES_PATH", "/a::/b c:"}});
  CHECK(options::resolve({.choices_path = {{"/call"}}}, {}, environment).choices_path ==
        std::vector<std::filesystem::path>{"/a", "/b c"});
  CHECK(options::resolve({.choices_path = {{"/call"}}}, {}, {}).choices_path ==
        std::vector<std::filesystem::path>{"/call"});
  environment.values = parsed({{"CONTEXTUAL_CHOICES_PATH", ""}});
  CHECK(options::resolve({.choices_path = {{"/call"}}}, {}, environment).choices_path.empty());
  environment.values = parsed({{"CONTEXTUAL_CACHE_DIR", ""}});
  CHECK(options::resolve({.cache_directory = "/call"}, {}, environment).cache_directory.empty());
}

}  // namespace contextual::test::options_test
