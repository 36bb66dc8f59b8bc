/// \file
/// Alternatives in a region: identity of their kernels, what is launched, ranks, rejections, lock-ins.

#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <contextual/alternatives.hpp>

#include <algorithm>
#include <array>
#include <thread>

namespace alternatives_test {

using namespace contextual;
using namespace engine_test;

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

ProblemReport find(const RegionReport& report, const std::string& kernel, const std::string& key) {
  for (const ProblemReport& problem : report.problems) {
    if (problem.kernel == kernel && problem.key == key) {
      return problem;
    }
  }
  throw std::runtime_error("no problem " + kernel + " " + key + " in:\n" + report.choices_text());
}

}  // namespace

TEST_CASE("alternatives in a region: the better one at its best is locked in", "[unit]") {
  TunableKernel fused{"alt_fused", blocks(2), single_problem, [](const Block&) {}};
  TunableKernel part{"alt_part", blocks(3), single_problem, [](const Block&) {}};
  std::vector<std::string> called;
  Alternatives<int(int)> choice{"alt_choice",
                                [](const int& n) { return make_key(n); },
                                {{"fused",
                                  [&](int& n) {
                                    fused();
                                    called.push_back("fused");
                                    return n;
                                  }},
                                 {"separate",
                                  [&](int& n) {
                                    part();
                                    part();
                                    called.push_back("separate");
                                    return 2 * n;
                                  }}},
                                {"N"}};
  ContextualAutotuner tuner{searching(makespans(fused_or_separate))};
  CHECK(tuner.run("alternatives", [&] { return choice(4); }) == 8);
  CHECK(called.back() == "separate");
  const RegionReport report = report_of(tuner, "alternatives");
  CHECK(report.problems.size() == 3);
  const ProblemReport chosen = find(report, "alt_choice", "{N: 4}");
  CHECK(chosen.choice == 1);
  CHECK(chosen.configs[1].config.to_string() == "{alternative: separate}");
  CHECK(find(report, "alt_fused", "() in alt_choice {N: 4}: fused").choice == 1);
  CHECK(find(report, "alt_part", "() in alt_choice {N: 4}: separate").choice == 2);
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
  CHECK(called == std::vector<std::string>{"separate"});
  CHECK(choice(5) == 5);  // another key: the default
}

TEST_CASE("alternatives in a region: the choice itself never lacks a time", "[unit]") {
  const TemporaryDirectory directory;
  TunableKernel fused{"alt_fused_logged", blocks(2), single_problem, [](const Block&) {}};
  Alternatives<void()> choice{
      "alt_choice_logged", single_problem, {{"fused", [&] { fused(); }}, {"nothing", [] {}}}};
  Options options =
      searching(makespans([](const auto& launches) { return 50'000 + 10'000 * launches.size(); }));
  options.log_directory = directory.path();
  ContextualAutotuner tuner{options};
  tuner.run("alternatives_logged", [&] { choice(); });
  const std::string json = text_of_file(directory.path() / "rank-0.jsonl");
  CHECK(count_of(json, "\"status\":\"ok\"") > 0);
  CHECK(count_of(json, "\"status\":\"no time\"") == 0);
}

TEST_CASE("alternatives in a region: one kernel and key in two of them is two problems", "[unit]") {
  std::vector<int> used;
  TunableKernel kernel{"alt_shared", blocks(2), single_problem,
                       [&](const Block& block) { used.push_back(block.block); }};
  int alternative = 0;
  Alternatives<void()> choice{"alt_of_shared",
                              single_problem,
                              {{"first",
                                [&] {
                                  alternative = 0;
                                  kernel();
                                }},
                               {"second", [&] {
                                  alternative = 1;
                                  kernel();
                                }}}};
  // The first alternative is best with config 0, the second one with config 1.
  const TimerFactory timer = makespans([&](const std::vector<ScriptedLaunch>& launches) {
    return 50'000 + (config_of(launches, "alt_shared") == alternative ? 0 : 20'000) +
           (alternative == 1 ? 0 : 20'000);
  });
  Options options = searching(timer);
  options.settle_every = 1;  // the makespan knows the alternative of the last run only
  ContextualAutotuner tuner{options};
  tuner.run("shared", [&] { choice(); });
  const RegionReport report = report_of(tuner, "shared");
  CHECK(find(report, "alt_shared", "() in alt_of_shared (): first").choice == 0);
  CHECK(find(report, "alt_shared", "() in alt_of_shared (): second").choice == 1);
  used.clear();
  choice();
  kernel();  // outside of the alternatives nothing was tuned
  CHECK(used == std::vector<int>{1, 0});
}

TEST_CASE("alternatives in a region: a thread of an alternative belongs to it", "[unit]") {
  TunableKernel kernel{"alt_threaded", blocks(2), single_problem, [](const Block&) {}};
  Alternatives<void()> choice{
      "alt_of_thread", single_problem, {{"here", [] {}}, {"there", [&] {
                                                            const RegionContext context =
                                                                RegionContext::current();
                                                            std::thread([&] {
                                                              const ContextGuard guard(context);
                                                              kernel();
                                                            }).join();
                                                          }}}};
  ContextualAutotuner tuner{searching(makespans([](const std::vector<ScriptedLaunch>& launches) {
    return launches.empty() ? 90'000 : 80'000 - 10'000 * config_of(launches, "alt_threaded");
  }))};
  tuner.run("threaded", [&] { choice(); });
  const RegionReport report = report_of(tuner, "threaded");
  CHECK(find(report, "alt_threaded", "() in alt_of_thread (): there").choice == 1);
  CHECK(find(report, "alt_of_thread", "()").choice == 1);
}

TEST_CASE("alternatives in a region: with search off they get a config's runs, after their kernels",
          "[unit]") {
  TunableKernel fused{"alt_fused", blocks(2), single_problem, [](const Block&) {}};
  TunableKernel part{"alt_part", blocks(3), single_problem, [](const Block&) {}};
  Alternatives<void()> choice{
      "alt_walked", single_problem, {{"fused", [&] { fused(); }}, {"separate", [&] { part(); }}}};
  Options options = quick(makespans(fused_or_separate));
  ContextualAutotuner tuner{options};
  int runs = 0;
  tuner.run("walked", [&] {
    ++runs;
    choice();
  });
  // Kernels of 2 and 3 configs, 1 + 1 runs each, then two alternatives; then the final run.
  CHECK(runs == 2 * 2 + 3 * 2 + 2 * 2 + 1);
  CHECK(find(report_of(tuner, "walked"), "alt_walked", "()").choice == 0);  // 100 us and 120 us
}

TEST_CASE("alternatives in a region: one that throws ConfigRejected is replaced in the same call", "[unit]") {
  int calls = 0;
  Alternatives<int()> choice{"alt_rejecting",
                             single_problem,
                             {{"good", [] { return 1; }}, {"bad", [&]() -> int {
                                                             ++calls;
                                                             throw ConfigRejected("not on this machine");
                                                           }}}};
  ContextualAutotuner tuner{searching(makespans([](const auto&) { return 1000; }))};
  std::vector<int> results;
  tuner.run("rejecting", [&] { results.push_back(choice()); });
  CHECK(calls == 1);
  CHECK(std::count(results.begin(), results.end(), 1) == std::ssize(results));
  const ProblemReport problem = problem_of(tuner, "rejecting", "alt_rejecting");
  CHECK(problem.choice == 0);
  REQUIRE(problem.configs[1].rejection);
  CHECK(*problem.configs[1].rejection == "not on this machine");
}

TEST_CASE("alternatives in a region: one whose kernel cannot be launched is replaced", "[unit]") {
  TunableKernel broken{"alt_broken", blocks(2), single_problem,
                       [](const Block&) { throw ConfigRejected("no such instruction"); }};
  TunableKernel sound{"alt_sound", blocks(2), single_problem, [](const Block&) {}};
  for (const bool broken_first : {true, false}) {
    const std::string name = broken_first ? "alt_broken_first" : "alt_broken_second";
    Alternatives<void()> choice{name,
                                single_problem,
                                {{"first", [&] { broken_first ? broken() : sound(); }},
                                 {"second", [&] { broken_first ? sound() : broken(); }}}};
    ContextualAutotuner tuner{searching(makespans([](const auto&) { return 1000; }))};
    tuner.run(name, [&] { choice(); });
    const ProblemReport problem = problem_of(tuner, name, name);
    CHECK(problem.choice == (broken_first ? 1U : 0U));
    CHECK(problem.outcome == ProblemOutcome::locked_in);
  }
}

TEST_CASE("alternatives in a region: what is left out by `keep` is not tuned", "[unit]") {
  TunableKernel kernel{"alt_never", blocks(3), single_problem, [](const Block&) {}};
  Alternatives<void(int)> choice{
      "alt_kept",
      [](const int& n) { return make_key(n); },
      {{"any", [](int&) {}}, {"even", [&](int&) { kernel(); }, [](const int& n) { return n % 2 == 0; }}}};
  ContextualAutotuner tuner{searching(makespans([](const auto&) { return 1000; }))};
  tuner.run("kept", [&] { choice(3); });
  CHECK(report_of(tuner, "kept").problems.size() == 1);
}

TEST_CASE("alternatives: names and lists that make no sense are refused", "[unit]") {
  Alternatives<void()> none{"alt_none", single_problem, {}};
  Alternatives<void()> twice{"alt_twice", single_problem, {{"a", [] {}}, {"a", [] {}}}};
  CHECK_THROWS_AS(none(), ConfigSpaceError);
  CHECK_THROWS_AS(twice(), ConfigSpaceError);
}

TEST_CASE("alternatives in a region: a second run reuses what is locked in", "[unit]") {
  TunableKernel fused{"alt_fused", blocks(2), single_problem, [](const Block&) {}};
  TunableKernel part{"alt_part", blocks(3), single_problem, [](const Block&) {}};
  Alternatives<void()> choice{
      "alt_again", single_problem, {{"fused", [&] { fused(); }}, {"separate", [&] { part(); }}}};
  int runs = 0;
  const auto region = [&] {
    ++runs;
    choice();
  };
  ContextualAutotuner tuner{searching(makespans(fused_or_separate))};
  tuner.run("again", region);
  runs = 0;
  tuner.run("again", region);
  CHECK(runs == 1);
  CHECK(problem_of(tuner, "again", "alt_again").choice == 1);
}

TEST_CASE("alternatives on ranks: all agree, also where one rank rejects one", "[unit]") {
  for (const bool rejects : {false, true}) {
    std::vector<std::string> choices(4);
    const auto body = [&](int rank, ContextualAutotuner&, const std::shared_ptr<Communicator>& communicator) {
      Options options = test::rank_options(communicator);
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
      Alternatives<void()> choice{"alt_rank_choice",
                                  single_problem,
                                  {{"fused", [&] { fused(); }}, {"separate", [&] {
                                                                   if (rejects && rank == 2) {
                                                                     throw ConfigRejected("not here");
                                                                   }
                                                                   part();
                                                                 }}}};
      tuner.run("on_ranks", [&] { choice(); });
      choices[static_cast<std::size_t>(rank)] = test::agreed_text(report_of(tuner, "on_ranks"));
    };
    const auto thrown = test::on_ranks(4, body);
    for (const auto& each : thrown) {
      CHECK(test::text_of(each) == "");
    }
    CHECK(test::count_failed(thrown) == 0);
    for (const std::string& choice : choices) {
      CHECK(
          (rejects || choice == choices.front()));  // the rank that rejects does not know the other's kernel
      CHECK_THAT(choice, ContainsSubstring(rejects ? "{alternative: fused}" : "{alternative: separate}"));
    }
  }
}

TEST_CASE("alternatives in a region: one whose kernel cannot be prepared is rejected", "[rev]") {
  TunableKernel sound{"alt_j_sound", blocks(2), single_problem, [](const Block&) {}};
  KernelOptions<void(const Block&)> options;
  options.prepare = [](const Block&) { throw ConfigRejected("no such instruction"); };
  TunableKernel broken{"alt_j_broken", blocks(2), single_problem, [](const Block&) {}, options};
  Alternatives<void()> choice{
      "revj", single_problem, {{"sound", [&] { sound(); }}, {"broken", [&] { broken(); }}}};
  ContextualAutotuner tuner{searching(makespans([](const auto&) { return 1000; }))};
  CHECK_NOTHROW(tuner.run("revj", [&] { choice(); }));
}
TEST_CASE("alternatives in a region: kernels of one rank are tuned in each of them", "[rev]") {
  KernelOptions<void(const Block&)> options;
  options.participation = Participation::local;
  TunableKernel one{"alt_k_one", blocks(3), single_problem, [](const Block&) {}, options};
  TunableKernel two{"alt_k_two", blocks(3), single_problem, [](const Block&) {}, options};
  Alternatives<void()> choice{"revk", single_problem, {{"one", [&] { one(); }}, {"two", [&] { two(); }}}};
  ContextualAutotuner tuner{searching(testing::scripted_timer(
      [](const LaunchInfo& l) { return 10'000 - 1000 * static_cast<std::int64_t>(l.config_id); },
      [](std::int64_t, const auto&) { return 20000; }))};
  tuner.run("revk", [&] { choice(); });
  const RegionReport report = report_of(tuner, "revk");
  INFO(report.choices_text());
  for (const ProblemReport& p : report.problems) {
    CHECK(p.outcome == ProblemOutcome::locked_in);
    if (p.kernel != "revk")
      CHECK(p.choice == 2);
  }
}
TEST_CASE("alternatives in a region: without any times the default one stays", "[rev]") {
  Alternatives<void()> choice{"revl", single_problem, {{"one", [] {}}, {"two", [] {}}}};
  ContextualAutotuner tuner{searching(testing::scripted_timer([](const LaunchInfo&) { return 10'000; }))};
  CHECK(error_text<Error>([&] { tuner.run("revl", [&] { choice(); }); }) == "[no error]");
}
TEST_CASE("alternatives on ranks: one rank may reject what launches a choice of its own", "[rev]") {
  const auto body = [&](int rank, ContextualAutotuner&, const std::shared_ptr<Communicator>& communicator) {
    Options options = test::rank_options(communicator);
    options.search = SearchLevel::normal;
    options.timer =
        testing::scripted_timer([](const LaunchInfo&) { return 10'000; },
                                [](std::int64_t, const std::vector<ScriptedLaunch>&) { return 100'000; });
    ContextualAutotuner tuner(options);
    TunableKernel flat{"alt_m_flat", blocks(2), single_problem, [](const Block&) {}};
    TunableKernel deep{"alt_m_deep", blocks(3), single_problem, [](const Block&) {}};
    Alternatives<void()> inner{"alt_m_inner", single_problem, {{"a", [&] { deep(); }}, {"b", [] {}}}};
    Alternatives<void()> outer{
        "alt_m_outer", single_problem, {{"flat", [&] { flat(); }}, {"nested", [&] {
                                                                      if (rank == 2)
                                                                        throw ConfigRejected("not here");
                                                                      inner();
                                                                    }}}};
    tuner.run("revm", [&] { outer(); });
  };
  for (const auto& each : test::on_ranks(4, body))
    CHECK(test::text_of(each) == "");
}

TEST_CASE("alternatives in a region: what lies below the only usable one is tuned, at every level",
          "[unit]") {
  const auto level = GENERATE(SearchLevel::quick, SearchLevel::normal);
  TunableKernel fused{"alt_only_fused", blocks(4), single_problem, [](const Block&) {}};
  TunableKernel beside{"alt_only_beside", blocks(3), single_problem, [](const Block&) {}};
  Alternatives<void()> choice{"alt_only",
                              single_problem,
                              {{"fused",
                                [&] {
                                  fused();
                                  beside();
                                },
                                [] { return true; }},
                               {"separate", [] {}, [] { return false; }}}};
  Options options = searching(makespans([](const auto& launches) {
    return 100'000 - 10'000 * config_of(launches, "alt_only_fused") -
           5'000 * config_of(launches, "alt_only_beside");
  }));
  options.search = level;
  options.always_tune = true;
  options.search_settings.runs = 120;
  ContextualAutotuner tuner{options};
  int iterations = 0;
  tuner.run("alternatives_only", [&] {
    choice();
    ++iterations;
  });
  const RegionReport report = report_of(tuner, "alternatives_only");
  INFO(report.choices_text());
  CHECK(iterations > 12);
  for (const ProblemReport& problem : report.problems) {
    CHECK(problem.outcome == ProblemOutcome::locked_in);
  }
  CHECK(find(report, "alt_only_fused", "() in alt_only (): fused").choice == 3);
  CHECK(find(report, "alt_only_beside", "() in alt_only (): fused").choice == 2);
}

TEST_CASE("alternatives in a region: quick races kernels that hardly matter by own time", "[unit]") {
  TunableKernel fused{"alt_small_fused", blocks(4), single_problem, [](const Block&) {}};
  TunableKernel beside{"alt_small_beside", blocks(3), single_problem, [](const Block&) {}};
  Alternatives<void()> choice{"alt_small",
                              single_problem,
                              {{"fused",
                                [&] {
                                  fused();
                                  beside();
                                },
                                [] { return true; }},
                               {"separate", [] {}, [] { return false; }}}};
  Options options = searching(testing::scripted_timer(
      [](const LaunchInfo& launch) {
        return launch.kernel == "alt_small_fused" ? 10'000 - 1'000 * static_cast<int>(launch.config_id)
                                                  : 5'000 + 1'000 * static_cast<int>(launch.config_id);
      },
      [](std::int64_t, const auto& launches) {
        return 10'000'000 - 100'000 * config_of(launches, "alt_small_fused");
      }));
  options.search = SearchLevel::quick;
  ContextualAutotuner tuner{options};
  tuner.run("alternatives_small", [&] { choice(); });
  const RegionReport report = report_of(tuner, "alternatives_small");
  INFO(report.choices_text());
  for (const ProblemReport& problem : report.problems) {
    CHECK(problem.outcome == ProblemOutcome::locked_in);
  }
  CHECK(find(report, "alt_small_fused", "() in alt_small (): fused").choice == 3);
  CHECK(find(report, "alt_small_beside", "() in alt_small (): fused").choice == 0);
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

TEST_CASE("without a search the choices by own times are one that `feasible` allows", "[unit]") {
  const bool below_an_alternative = GENERATE(false, true);
  TunableKernel one{"alt_ruled_one", blocks(2), single_problem, [](const Block&) {}};
  TunableKernel two{"alt_ruled_two", blocks(3), single_problem, [](const Block&) {}};
  const auto both = [&] {
    one();
    two();
  };
  Alternatives<void()> choice{"alt_ruled", single_problem, {{"both", both}, {"nothing", [] {}}}};
  Options options = searching(testing::scripted_timer(
      ruled_own_ns, [](std::int64_t, const auto& launches) { return 50'000 + 10'000 * launches.size(); }));
  options.search = SearchLevel::off;
  options.always_tune = true;
  options.feasible = [](std::span<const AssignedConfig> configs) {
    return id_of(configs, "alt_ruled") == 0 &&
           (id_of(configs, "alt_ruled_one") != 0 || id_of(configs, "alt_ruled_two") != 1);
  };
  ContextualAutotuner tuner{options};
  tuner.run("alternatives_ruled", [&] { below_an_alternative ? choice() : both(); });
  const RegionReport report = report_of(tuner, "alternatives_ruled");
  INFO(report.choices_text());
  const std::string key = below_an_alternative ? "() in alt_ruled (): both" : "()";
  CHECK(find(report, "alt_ruled_one", key).choice == 0);
  const ProblemReport second = find(report, "alt_ruled_two", key);
  CHECK(second.choice == 2);
  CHECK(second.outcome == ProblemOutcome::locked_in);
  CHECK_THAT(second.reason, ContainsSubstring("ruled out together"));
}

}  // namespace alternatives_test
