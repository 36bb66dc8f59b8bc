/// \file
/// Regions that throw, and tuners that are used again afterwards.

#include "support/stderr_capture.hpp"
#include "unit/tuning/changed_options.hpp"

namespace contextual::test::throwing_region_test {

namespace {

struct Odd {  // of the user, no std::exception
  int value;
};

}  // namespace

TEST_CASE("holds 6: what the region throws comes through unchanged, type and value") {
  OneKernel one("holds_6");
  const auto run_throwing = [&](int which, auto what) {
    one.runs = 0;
    one.tuner.run("holds_6",
                  [&] {
                    one.region();
                    if (one.runs == which) {
                      throw what;
                    }
                  },
                  {.always_tune = true});
  };
  for (const int which : {1, 2, 4}) {
    CHECK(caught<Odd>([&] { run_throwing(which, Odd{77}); }).value == 77);
    CHECK(one.runs == which);
  }
  CHECK(error_text<std::out_of_range>([&] { run_throwing(7, std::out_of_range("in the final run")); }) ==
        "in the final run");
}

TEST_CASE("holds 6: what a launcher throws, other than ConfigRejected, is the region's own error") {
  OneKernel one("holds_6_launcher");
  one.in_launch = [](const Block& c) {
    if (c.block == 1) {
      throw Odd{5};
    }
  };
  CHECK_THROWS_AS(one.run(), Odd);
}

TEST_CASE("holds 6: report, log and stderr name the launch whose launcher threw") {
  const TemporaryDirectory logs;
  TunableKernel kernel{
      "named", blocks(3), [](int n) { return make_key(n); },
      [](const Block& c, int n) { throw_if<std::out_of_range>(c.block == 1 && n == 7, "boom"); }};
  ContextualAutotuner tuner(
      quick({.log_directory = logs.path(), .print = GENERATE(Print::choices, Print::long_tunings)}));
  std::string printed;
  std::string thrown;
  {
    const StderrCapture captured;
    thrown = error_text<std::out_of_range>([&] { tuner.run("named", [&] { kernel(6), kernel(7); }); });
    printed = captured.text();
  }
  CHECK(thrown == "boom");
  const std::string named = "the launcher of kernel \"named\", key (7), config-1 {BLOCK: 1} threw: boom";
  const RegionReport report = report_of(tuner, "named");
  CHECK(report.warnings == std::vector{named});
  CHECK_THAT(printed, ContainsSubstring("kernel \"named\", key (7), config-1 {BLOCK: 1} threw: boom"));
  CHECK(count_of(text_of_file(logs.path() / "rank-0.log"), named) == 1);
}

TEST_CASE("what a launcher throws for a long key is told with the parts of the key") {
  TunableKernel kernel{"named_long", blocks(2), [](const std::vector<int>& shape) { return make_key(shape); },
                       [](const Block&, const std::vector<int>&) { throw std::out_of_range("boom"); }};
  ContextualAutotuner tuner(quick());
  CHECK_THROWS_AS(tuner.run("named_long", [&] { kernel(std::vector<int>(13, 1)); }), std::out_of_range);
  const RegionReport report = report_of(tuner, "named_long");
  CHECK_THAT(only(report.warnings),
             ContainsSubstring("key ([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]), config-0"));
}

TEST_CASE("a tuner and a region are used again after tuning failed") {
  OneKernel one("again_after_failure", 2);
  one.in_launch = [](const Block&) { throw ConfigRejected("driver is away"); };
  CHECK_THROWS_AS(one.run(), TuningFailedError);
  one.in_launch = [](const Block&) {};
  CHECK(one.run() == 1);
}

}  // namespace contextual::test::throwing_region_test
