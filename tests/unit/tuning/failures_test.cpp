/// \file
/// Configs that cannot be prepared or launched, and results that are wrong.

#include "support/engine.hpp"

#include <system_error>

namespace contextual::test::failures_test {

TEST_CASE("holds 4: a config that cannot be prepared is never launched and its reason is kept") {
  OneKernel one("holds_4_prepare", 4, {.load = [](const Block& c) {
                  refuse_block(1, "too much shared memory")(c);
                  throw_if<std::runtime_error>(c.block == 3, "compiler error");
                }});
  one.run();
  CHECK(one.used == std::vector<int>{0, 0, 2, 2, 2});
  const ProblemReport problem = one.problem();
  CHECK(problem.choice == 2);
  CHECK(problem.configs[1].rejection == "too much shared memory");
  CHECK(problem.configs[3].rejection == "compiler error");
  CHECK_FALSE(problem.configs[2].rejection);
}

TEST_CASE("holds 4: a launch that fails launches the fallback in the same call") {
  OneKernel one("holds_4_launch", 4);
  int attempts = 0;
  one.in_launch = [&](const Block& c) {
    attempts += c.block == 2 ? 1 : 0;
    refuse_block(2, "no resources")(c);
  };
  one.tuner.run("holds_4_launch", [&] {
    one.region();
    REQUIRE(std::ssize(one.used) == one.runs);  // never skipped, never twice
  });
  CHECK(attempts == 1);
  // Config 1 is the best so far when config 2 fails, also for the rest of the batch.
  CHECK(one.used == std::vector<int>{0, 0, 1, 1, 1, 1, 3, 3, 3});
  const ProblemReport problem = one.problem();
  CHECK(problem.configs[2].rejection == "no resources");
  CHECK(problem.configs[2].time.count == 0);
  CHECK(problem.choice == 3);
}

TEST_CASE("holds 4: a default that fails to launch falls back to another config") {
  OneKernel one("holds_4_default");
  one.in_launch = refuse_block(0, "the default is no good here");
  CHECK(one.run() == 2);
  CHECK(std::ssize(one.used) == one.runs);
}

TEST_CASE("holds 4: a failing status returned by a launcher is a failed launch") {
  TunableKernel kernel{"holds_4_status", blocks(3), single_problem, [&](const Block& c) {
                         return c.block == 1 ? std::make_error_code(std::errc::not_enough_memory)
                                             : std::error_code{};
                       }};
  const RegionReport report = tuned("holds_4_status", [&] { REQUIRE_FALSE(kernel()); });
  const ProblemReport problem = of_kernel(report, "holds_4_status");
  CHECK(problem.configs[1].rejection == std::make_error_code(std::errc::not_enough_memory).message());
}

TEST_CASE("holds 4: a result that fails its check is rejected; with reset the same call repeats it") {
  TunableKernel kernel{
      "holds_4_check",
      blocks(3),
      single_problem,
      [](const Block& c, int& sum) { sum += c.block == 1 ? 99 : 1; },
      {.reset = [](int& sum) { sum = 0; }, .check = [](const Block&, int& sum) { return sum == 1; }}};
  const RegionReport report = tuned("holds_4_check", [&] {
    int sum = 0;
    kernel(sum);
    REQUIRE(sum == 1);
  });
  const ProblemReport problem = of_kernel(report, "holds_4_check");
  CHECK_THAT(problem.configs[1].rejection.value_or(""), ContainsSubstring("check"));
  CHECK(problem.choice == 2);
}

TEST_CASE("holds 4: without reset a wrong result is rejected and the launch is not repeated") {
  OneKernel one("holds_4_check_only", 3, {.check = [](const Block& c) {
                  refuse_block(1, "off by 3 %")(c);
                  return true;
                }});
  one.run();
  CHECK(std::count(one.used.begin(), one.used.end(), 1) == 1);
  CHECK(one.problem().configs[1].rejection == "off by 3 %");
}

TEST_CASE("holds 5: when all configs fail TuningFailedError has every reason") {
  const auto error = caught<TuningFailedError>([] {
    tune_alone("holds_5", 3, quick(),
               [](const Block& c) { throw ConfigRejected("reason " + std::to_string(c.block)); });
  });
  CHECK(error.region() == "holds_5");
  CHECK(error.kernel() == "holds_5");
  CHECK(error.key() == "()");
  REQUIRE(error.rejections().size() == 3);
  for (std::size_t id = 0; id < 3; ++id) {
    CHECK(error.rejections()[id].config_id == id);
    CHECK(error.rejections()[id].reason == "reason " + std::to_string(id));
    CHECK(error.rejections()[id].config == "{BLOCK: " + std::to_string(id) + "}");
    CHECK_THAT(std::string(error.what()), ContainsSubstring("reason " + std::to_string(id)));
  }
}

TEST_CASE("holds 5: reasons of configs that failed earlier are told too") {
  int launches = 0;
  const auto launch = [&](const Block& c) {
    ++launches;
    throw_if<ConfigRejected>(c.block > 0, std::to_string(c.block) + " is bad");
    throw_if<ConfigRejected>(launches > 4, "out of memory by now");
  };
  CHECK_THAT(error_text<TuningFailedError>([&] { tune_alone("holds_5_later", 3, quick(), launch); }),
             ContainsAll("1 is bad", "2 is bad", "out of memory by now"));
}

TEST_CASE("holds 5: the reasons are those of the problem, and not of one whose key has the same text") {
  TunableKernel kernel{
      "alike_failing", blocks(2), [](bool as_text) { return as_text ? make_key("1") : make_key(1); },
      [](const Block& config, bool as_text) {
        throw_if<ConfigRejected>(as_text || config.block == 0, as_text ? "of the text" : "of the number");
      }};
  ContextualAutotuner tuner{quick()};
  const std::vector<Rejection> rejections =
      caught<TuningFailedError>([&] {
        tuner.run("alike_failing", [&] { kernel(false), kernel(true); });
      }).rejections();
  CHECK(rejections.size() == 2);
  for (const Rejection& rejection : rejections) {
    CHECK_THAT(rejection.reason, ContainsSubstring("of the text"));
  }
}

TEST_CASE("failures: a problem that fails in its first run is reported as failed, with its rejections") {
  TunableKernel kernel{
      "fail_first", blocks(2), [](int n) { return make_key(n); },
      [](const Block& c, int n) { throw_if<ConfigRejected>(n == 2, "no " + std::to_string(c.block)); }};
  ContextualAutotuner tuner{quick()};
  tuner.run("fail_first", [&] { kernel(1); });
  CHECK_THROWS_AS(tuner.run("fail_first", [&] { kernel(2); }), TuningFailedError);
  const Report report = tuner.report();
  REQUIRE(report.runs.size() == 2);
  CHECK(report.runs[0].problems.front().outcome == ProblemOutcome::locked_in);
  const RegionReport& failed = report.runs[1];
  CHECK(only(failed.problems).outcome == ProblemOutcome::failed);
  REQUIRE(failed.problems.front().configs.size() == 2);
  CHECK(failed.problems.front().configs[0].config.to_string() == "{BLOCK: 0}");
  CHECK(failed.problems.front().configs[0].rejection == "no 0");
  CHECK(failed.problems.front().configs[1].rejection == "no 1");
  CHECK_THAT(failed.to_string(Detail::why), ContainsAll("no choice: every config was rejected\n",
                                                        "2 configs rejected", "rejected: {BLOCK: 1}: no 1"));
}

TEST_CASE("failures: a problem whose default has worked before is reported as failed, too") {
  OneKernel one("fail_later");
  one.in_launch = [&, calls = 0](const Block& c) mutable {
    throw_if<ConfigRejected>(++calls > 1, "no " + std::to_string(c.block));
  };
  CHECK_THROWS_AS(one.run(), TuningFailedError);
  const ProblemReport problem = one.problem();
  CHECK(problem.outcome == ProblemOutcome::failed);
  REQUIRE(problem.configs.size() == 3);
  for (const ConfigReport& config : problem.configs) {
    CHECK(config.rejection == "no " + std::to_string(config.config_id));
  }
}

}  // namespace contextual::test::failures_test
