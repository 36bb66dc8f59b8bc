/// \file
/// Alternatives in a region: identity of their kernels, what is launched, ranks, rejections, lock-ins.

#include "support/engine.hpp"
#include "support/ranks.hpp"

namespace contextual::test::alternatives_test {

namespace {

using testing::ScriptedLaunch;

/// The config that a kernel was launched with in this iteration; -1 if it was not.
int config_of(const std::vector<ScriptedLaunch>& launches, const std::string& kernel) {
  int config = -1;
  for (const ScriptedLaunch& launch : launches) {
    config = launch.kernel == kernel ? static_cast<int>(launch.config_id) : config;
  }
  return config;
}

TimerFactory makespans(std::function<std::int64_t(const std::vector<ScriptedLaunch>&)> model) {
  return testing::scripted_timer(
      [](const LaunchInfo&) { return 10'000; },
      [model = std::move(model)](std::int64_t, const auto& launches) { return model(launches); });
}

Options searching(TimerFactory timer) {
  return {.n_warmup = 1, .n_repeat = 1, .log_directory = "", .timer = std::move(timer)};
}

/// "fused": 100 us, 90 us with config 1. "separate": 120 us, 60 us with config 2 of its kernel.
std::int64_t fused_or_separate(const std::vector<ScriptedLaunch>& launches) {
  const int fused = config_of(launches, "alt_fused");
  return fused >= 0 ? (fused == 1 ? 90'000 : 100'000)
                    : (config_of(launches, "alt_part") == 2 ? 60'000 : 120'000);
}

}  // namespace

TEST_CASE("alternatives in a region: the better one at its best is locked in") {
  TunableKernel fused{"alt_fused", blocks(2), single_problem, [](const Block&) {}};
  TunableKernel part{"alt_part", blocks(3), single_problem, [](const Block&) {}};
  std::vector<std::string> called;
  const auto by_fused = [&](int& n) {
    fused();
    called.push_back("fused");
    return n;
  };
  const auto by_parts = [&](int& n) {
    part();
    part();
    called.push_back("separate");
    return 2 * n;
  };
  Alternatives<int(int)> choice{"alt_choice",
                                [](const int& n) { return make_key(n); },
                                {{"fused", by_fused}, {"separate", by_parts}},
                                {"N"}};
  ContextualAutotuner tuner{searching(makespans(fused_or_separate))};
  CHECK(tuner.run("alternatives", [&] { return choice(4); }) == 8);
  CHECK(called.back() == "separate");
  const RegionReport report = report_of(tuner, "alternatives");
  CHECK(report.problems.size() == 3);
  const ProblemReport chosen = of_kernel(report, "alt_choice", "{N: 4}");
  CHECK(chosen.choice == 1);
  CHECK(chosen.configs[1].config.to_string() == "{alternative: separate}");
  CHECK(of_kernel(report, "alt_fused", "() in alt_choice {N: 4}: fused").choice == 1);
  const ProblemReport in_separate = of_kernel(report, "alt_part", "() in alt_choice {N: 4}: separate");
  CHECK(in_separate.choice == 2);
  REQUIRE(in_separate.under);
  CHECK(report.problems.at(in_separate.under->problem).kernel == "alt_choice");
  CHECK(in_separate.under->config_id == 1);
  REQUIRE(report.searches.size() == 4);
  CHECK(report.searches[1].reference == SearchReference::alternative_defaults);
  CHECK(report.searches[2].reference == SearchReference::default_alternative);
  CHECK(report.searches[3].reference == SearchReference::defaults);
  REQUIRE(report.default_makespan);
  CHECK(report.default_makespan->centre_ns == 100'000);
  REQUIRE(report.tuned_makespan);
  CHECK(report.tuned_makespan->centre_ns == 60'000);

  // Outside of a region, and in it without tuning, the choices hold inside the alternative.
  called.clear();
  CHECK(choice(4) == 8);
  CHECK(tuner.run("alternatives", [&] { return choice(4); }) == 8);
  CHECK(called == std::vector<std::string>{"separate", "separate"});
  CHECK(choice(5) == 5);  // another key: the default
}

TEST_CASE("alternatives in a region: the choice itself never lacks a time") {
  const TemporaryDirectory directory;
  TunableKernel fused{"alt_fused_logged", blocks(2), single_problem, [](const Block&) {}};
  Alternatives<void()> choice{
      "alt_choice_logged", single_problem, {{"fused", [&] { fused(); }}, {"nothing", [] {}}}};
  Options options =
      searching(makespans([](const auto& launches) { return 50'000 + 10'000 * launches.size(); }));
  options.log_directory = directory.path();
  tuned(options, "alternatives_logged", [&] { choice(); });
  const std::string json = text_of_file(directory.path() / "rank-0.jsonl");
  CHECK(count_of(json, "\"status\":\"ok\"") > 0);
  CHECK(count_of(json, "\"status\":\"no time\"") == 0);
}

TEST_CASE("alternatives in a region: one kernel and key in two of them is two problems") {
  std::vector<int> used;
  TunableKernel kernel{"alt_shared", blocks(2), single_problem,
                       [&](const Block& block) { used.push_back(block.block); }};
  std::vector<int> alternatives;  // by run
  const auto launch_as = [&](int number) {
    return [&, number] {
      alternatives.push_back(number);
      kernel();
    };
  };
  Alternatives<void()> choice{
      "alt_of_shared", single_problem, {{"first", launch_as(0)}, {"second", launch_as(1)}}};
  // The first alternative is best with config 0, the second one with config 1.
  const auto makespan = [&](std::int64_t run, const std::vector<ScriptedLaunch>& launches) {
    const int alternative = alternatives.at(static_cast<std::size_t>(run));
    return 50'000 + (config_of(launches, "alt_shared") == alternative ? 0 : 20'000) +
           (alternative == 1 ? 0 : 20'000);
  };
  const RegionReport report =
      tuned(searching(testing::scripted_timer([](const LaunchInfo&) { return 10'000; }, makespan)), "shared",
            [&] { choice(); });
  CHECK(of_kernel(report, "alt_shared", "() in alt_of_shared (): first").choice == 0);
  CHECK(of_kernel(report, "alt_shared", "() in alt_of_shared (): second").choice == 1);
  used.clear();
  choice();
  kernel();  // outside of the alternatives nothing was tuned
  CHECK(used == std::vector<int>{1, 0});
}

TEST_CASE("alternatives in a region: a thread of an alternative belongs to it") {
  TunableKernel kernel{"alt_threaded", blocks(2), single_problem, [](const Block&) {}};
  const auto there = [&] {
    std::thread([&, context = RegionContext::current()] {
      const ContextGuard guard(context);
      kernel();
    }).join();
  };
  Alternatives<void()> choice{"alt_of_thread", single_problem, {{"here", [] {}}, {"there", there}}};
  const RegionReport report =
      tuned(searching(makespans([](const std::vector<ScriptedLaunch>& launches) {
              return launches.empty() ? 90'000 : 80'000 - 10'000 * config_of(launches, "alt_threaded");
            })),
            "threaded", [&] { choice(); });
  CHECK(of_kernel(report, "alt_threaded", "() in alt_of_thread (): there").choice == 1);
  CHECK(of_kernel(report, "alt_of_thread", "()").choice == 1);
}

TEST_CASE("alternatives in a region: one that throws ConfigRejected is replaced in the same call") {
  int calls = 0;
  const auto bad = [&]() -> int {
    ++calls;
    throw ConfigRejected("not on this machine");
  };
  Alternatives<int()> choice{"alt_rejecting", single_problem, {{"good", [] { return 1; }}, {"bad", bad}}};
  ContextualAutotuner tuner{searching(makespans([](const auto&) { return 1000; }))};
  std::vector<int> results;
  tuner.run("rejecting", [&] { results.push_back(choice()); });
  CHECK(calls == 1);
  CHECK(std::count(results.begin(), results.end(), 1) == std::ssize(results));
  const ProblemReport problem = problem_of(tuner, "rejecting", "alt_rejecting");
  CHECK(problem.choice == 0);
  CHECK(problem.configs[1].rejection == "not on this machine");
}

TEST_CASE("alternatives in a region: one whose kernel cannot be prepared or launched is replaced") {
  const bool when_prepared = GENERATE(true, false);
  const bool broken_first = GENERATE(true, false);
  const std::string name = std::string("alt_broken") + (broken_first ? "_first" : "_second") +
                           (when_prepared ? "_prepared" : "_launched");
  KernelOptions<void(const Block&)> options;
  if (when_prepared) {
    options.load = [](const Block&) { throw ConfigRejected("no such instruction"); };
  }
  TunableKernel broken{name + "_broken", blocks(2), single_problem,
                       [&](const Block&) { throw_if<ConfigRejected>(!when_prepared, "no such instruction"); },
                       options};
  TunableKernel sound{name + "_sound", blocks(2), single_problem, [](const Block&) {}};
  Alternatives<void()> choice{name,
                              single_problem,
                              {{"first", [&] { broken_first ? broken() : sound(); }},
                               {"second", [&] { broken_first ? sound() : broken(); }}}};
  const RegionReport report =
      tuned(searching(makespans([](const auto&) { return 1000; })), name, [&] { choice(); });
  const ProblemReport problem = of_kernel(report, name);
  CHECK(problem.choice == (broken_first ? 1U : 0U));
  CHECK(problem.outcome == ProblemOutcome::locked_in);
}

TEST_CASE("alternatives in a region: what is left out by `keep` is not tuned") {
  TunableKernel kernel{"alt_never", blocks(3), single_problem, [](const Block&) {}};
  Alternatives<void(int)> choice{
      "alt_kept",
      [](const int& n) { return make_key(n); },
      {{"any", [](int&) {}}, {"even", [&](int&) { kernel(); }, [](const int& n) { return n % 2 == 0; }}}};
  const RegionReport report =
      tuned(searching(makespans([](const auto&) { return 1000; })), "kept", [&] { choice(3); });
  CHECK(report.problems.size() == 1);
}

TEST_CASE("alternatives: names and lists that make no sense are refused") {
  Alternatives<void()> none{"alt_none", single_problem, {}};
  Alternatives<void()> twice{"alt_twice", single_problem, {{"a", [] {}}, {"a", [] {}}}};
  CHECK_THROWS_AS(none(), ConfigSpaceError);
  CHECK_THROWS_AS(twice(), ConfigSpaceError);
}

TEST_CASE("alternatives on ranks: all agree, also where one rank rejects one") {
  for (const bool rejects : {false, true}) {
    test::PerRank<std::string> choices(4);
    const auto body = [&](int rank, ContextualAutotuner&, const std::shared_ptr<Communicator>& communicator) {
      Options options = rank_options(communicator);
      options.search = SearchLevel::normal;
      options.timer = testing::scripted_timer(
          [rank](const LaunchInfo& launch) {
            return 10'000 + 100 * rank - 1000 * static_cast<std::int64_t>(launch.config_id);
          },
          [](std::int64_t, const std::vector<ScriptedLaunch>& launches) {
            return config_of(launches, "alt_rank_part") == 2 ? 60'000 : 100'000;
          });
      ContextualAutotuner tuner(options);
      TunableKernel fused{"alt_rank_fused", blocks(2), single_problem, [](const Block&) {}};
      TunableKernel part{"alt_rank_part", blocks(3), single_problem, [](const Block&) {}};
      const auto separate = [&] {
        throw_if<ConfigRejected>(rejects && rank == 2, "not here");
        part();
      };
      Alternatives<void()> choice{
          "alt_rank_choice", single_problem, {{"fused", [&] { fused(); }}, {"separate", separate}}};
      tuner.run("on_ranks", [&] { choice(); });
      choices[rank] = test::agreed_text(report_of(tuner, "on_ranks"));
    };
    for (const auto& each : on_ranks(4, body)) {
      CHECK(text_of(each) == "");
    }
    for (const std::string& choice : choices) {
      CHECK((rejects || choice == choices.front()));  // who rejects does not know the other's kernel
      CHECK_THAT(choice, ContainsSubstring(rejects ? "{alternative: fused}" : "{alternative: separate}"));
    }
  }
}

TEST_CASE("alternatives in a region: without any times the default one stays") {
  Alternatives<void()> choice{"revl", single_problem, {{"one", [] {}}, {"two", [] {}}}};
  ContextualAutotuner tuner{searching(testing::scripted_timer([](const LaunchInfo&) { return 10'000; }))};
  CHECK(error_text<Error>([&] { tuner.run("revl", [&] { choice(); }); }) == "[no error]");
}
TEST_CASE("alternatives on ranks: one rank may reject what launches a choice of its own") {
  const auto body = [&](int rank, ContextualAutotuner&, const std::shared_ptr<Communicator>& communicator) {
    Options options = rank_options(communicator);
    options.search = SearchLevel::normal;
    options.timer =
        testing::scripted_timer([](const LaunchInfo&) { return 10'000; },
                                [](std::int64_t, const std::vector<ScriptedLaunch>&) { return 100'000; });
    ContextualAutotuner tuner(options);
    TunableKernel flat{"alt_m_flat", blocks(2), single_problem, [](const Block&) {}};
    TunableKernel deep{"alt_m_deep", blocks(3), single_problem, [](const Block&) {}};
    Alternatives<void()> inner{"alt_m_inner", single_problem, {{"a", [&] { deep(); }}, {"b", [] {}}}};
    const auto nested = [&] {
      throw_if<ConfigRejected>(rank == 2, "not here");
      inner();
    };
    Alternatives<void()> outer{
        "alt_m_outer", single_problem, {{"flat", [&] { flat(); }}, {"nested", nested}}};
    tuner.run("revm", [&] { outer(); });
  };
  for (const auto& each : on_ranks(4, body))
    CHECK(text_of(each) == "");
}

namespace {

/// "fused" launches two kernels of four and three configs, and is the only usable alternative. Tunes a region
/// of it in more than `more_than` runs: the last config of the first kernel is the best one.
void check_only_usable(const std::string& name, const Options& options, std::size_t best_beside,
                       int more_than) {
  TunableKernel fused{name + "_fused", blocks(4), single_problem, [](const Block&) {}};
  TunableKernel beside{name + "_beside", blocks(3), single_problem, [](const Block&) {}};
  const auto both = [&] { fused(), beside(); };
  Alternatives<void()> choice{
      name,
      single_problem,
      {{"fused", both, [] { return true; }}, {"separate", [] {}, [] { return false; }}}};
  ContextualAutotuner tuner{options};
  int iterations = 0;
  tuner.run(name, [&] { choice(), ++iterations; });
  const RegionReport report = report_of(tuner, name);
  INFO(report.choices_text());
  CHECK(iterations > more_than);
  for (const ProblemReport& problem : report.problems) {
    CHECK(problem.outcome == ProblemOutcome::locked_in);
  }
  CHECK(of_kernel(report, name + "_fused", "() in " + name + " (): fused").choice == 3);
  CHECK(of_kernel(report, name + "_beside", "() in " + name + " (): fused").choice == best_beside);
}

}  // namespace

TEST_CASE("alternatives in a region: what lies below the only usable one is tuned, at every level") {
  Options options = searching(makespans([](const auto& launches) {
    return 100'000 - 10'000 * config_of(launches, "alt_only_fused") -
           5'000 * config_of(launches, "alt_only_beside");
  }));
  options.search = GENERATE(SearchLevel::quick, SearchLevel::normal);
  options.always_tune = true;
  options.search_settings.runs = 120;
  check_only_usable("alt_only", options, 2, 12);
}

TEST_CASE("alternatives in a region: quick races kernels that hardly matter by own time") {
  Options options = searching(testing::scripted_timer(
      [](const LaunchInfo& launch) {
        return launch.kernel == "alt_small_fused" ? 10'000 - 1'000 * static_cast<int>(launch.config_id)
                                                  : 5'000 + 1'000 * static_cast<int>(launch.config_id);
      },
      [](std::int64_t, const auto& launches) {
        return 10'000'000 - 100'000 * config_of(launches, "alt_small_fused");
      }));
  options.search = SearchLevel::quick;
  check_only_usable("alt_small", options, 0, 0);
}

/// Own times: config 0 of alt_ruled_one is the fastest, and config 1 of alt_ruled_two, then 2.
std::int64_t ruled_own_ns(const LaunchInfo& launch) {
  const bool one = launch.kernel == "alt_ruled_one";
  const std::array<std::int64_t, 3> two{9'000, 5'000, 6'000};
  return one ? 10'000 + 5'000 * static_cast<std::int64_t>(launch.config_id) : two.at(launch.config_id);
}

std::size_t id_of(std::span<const AssignedConfig> configs, std::string_view kernel) {
  const auto found = std::find_if(configs.begin(), configs.end(),
                                  [&](const AssignedConfig& config) { return config.kernel == kernel; });
  return found == configs.end() ? 0 : found->config_id;
}

TEST_CASE("without a search the choices by own times are one that `feasible` allows") {
  const bool below_an_alternative = GENERATE(false, true);
  TunableKernel one{"alt_ruled_one", blocks(2), single_problem, [](const Block&) {}};
  TunableKernel two{"alt_ruled_two", blocks(3), single_problem, [](const Block&) {}};
  const auto both = [&] { one(), two(); };
  Alternatives<void()> choice{"alt_ruled", single_problem, {{"both", both}, {"nothing", [] {}}}};
  Options options = searching(testing::scripted_timer(
      ruled_own_ns, [](std::int64_t, const auto& launches) { return 50'000 + 10'000 * launches.size(); }));
  options.search = SearchLevel::off;
  options.always_tune = true;
  options.feasible = [](std::span<const AssignedConfig> configs) {
    return id_of(configs, "alt_ruled") == 0 &&
           (id_of(configs, "alt_ruled_one") != 0 || id_of(configs, "alt_ruled_two") != 1);
  };
  const RegionReport report =
      tuned(options, "alternatives_ruled", [&] { below_an_alternative ? choice() : both(); });
  INFO(report.choices_text());
  const std::string key = below_an_alternative ? "() in alt_ruled (): both" : "()";
  CHECK(of_kernel(report, "alt_ruled_one", key).choice == 0);
  const ProblemReport second = of_kernel(report, "alt_ruled_two", key);
  CHECK(second.choice == 2);
  CHECK(second.outcome == ProblemOutcome::locked_in);
  CHECK_THAT(second.reason, ContainsSubstring("ruled out together"));
}

TEST_CASE("of three choices `feasible` allows only the combination without their defaults, and they get it") {
  const auto nothing = [] {};
  const auto choice = [&](const char* name) {
    return Alternatives<void()>{name, single_problem, {{"fused", nothing}, {"separate", nothing}}};
  };
  Alternatives<void()> first = choice("alt_three_first");
  Alternatives<void()> second = choice("alt_three_second");
  Alternatives<void()> third = choice("alt_three_third");
  Options options = searching(testing::scripted_timer(
      ruled_own_ns, [](std::int64_t, const auto& launches) { return 50'000 + 10'000 * launches.size(); }));
  options.always_tune = true;
  options.feasible = [](std::span<const AssignedConfig> configs) {
    return id_of(configs, "alt_three_first") == 1 && id_of(configs, "alt_three_second") == 1 &&
           id_of(configs, "alt_three_third") == 1;
  };
  const RegionReport report = tuned(options, "alternatives_three", [&] { first(), second(), third(); });
  INFO(report.choices_text());
  CHECK(of_kernel(report, "alt_three_first", "()").choice == 1);
  CHECK(of_kernel(report, "alt_three_second", "()").choice == 1);
  CHECK(of_kernel(report, "alt_three_third", "()").choice == 1);
}

TEST_CASE("a choice that is locked in makes no way for a later one") {
  const auto nothing = [] {};
  Alternatives<void()> first{"alt_locked_first", single_problem, {{"fused", nothing}, {"separate", nothing}}};
  Alternatives<void()> second{
      "alt_locked_second", single_problem, {{"fused", nothing}, {"separate", nothing}}};
  Options options = searching(testing::scripted_timer(
      ruled_own_ns, [](std::int64_t, const auto& launches) { return 50'000 + 10'000 * launches.size(); }));
  options.feasible = [](std::span<const AssignedConfig> configs) {
    return id_of(configs, "alt_locked_first") != 0 || id_of(configs, "alt_locked_second") != 1;
  };
  ContextualAutotuner tuner{options};
  tuner.run("alternatives_locked", [&] { first(); });
  tuner.run("alternatives_locked", [&] { first(), second(); });
  const RegionReport report = report_of(tuner, "alternatives_locked");
  INFO(report.choices_text());
  CHECK(of_kernel(report, "alt_locked_first", "()").choice == 0);
  const ProblemReport later = of_kernel(report, "alt_locked_second", "()");
  CHECK(later.choice == 0);
  REQUIRE(later.configs.at(1).rejection);
  CHECK_THAT(*later.configs.at(1).rejection, ContainsSubstring("ruled out by `feasible`"));
}

}  // namespace contextual::test::alternatives_test
