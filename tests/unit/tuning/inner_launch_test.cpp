/// \file
/// A kernel whose launcher launches another tunable kernel: a KernelTuner tunes the inner one first, and a
/// plain kernel of a region is warned about.

#include "unit/tuning/changed_options.hpp"

#include <iterator>

namespace contextual::test::inner_launch_test {

namespace {

/// What the configs of the outer kernel take without the inner one, and what those of the inner one take. The
/// outer default is the better one. In a walk of both side by side it does not look so: there it launches the
/// slow inner default.
constexpr std::array<std::int64_t, 2> outer_us{100, 400};
constexpr std::array<std::int64_t, 2> inner_us{1000, 50};

struct Nested {
  std::size_t outer = 0;  ///< the configs of the launch under way
  std::size_t inner = 0;
  std::string inner_name;
  TunableKernel<void(const Block&)> kernel;

  explicit Nested(const std::string& name)
      : inner_name(name + "_inner"),
        kernel(inner_name, blocks(2), single_problem,
               [this](const Block& block) { inner = static_cast<std::size_t>(block.block); }) {}

  void launch(const Block& block) {
    outer = static_cast<std::size_t>(block.block);
    kernel();
  }

  /// All that a launch of the outer kernel does is in its own time, and in that of its inner launch.
  TimerFactory timer() {
    return times([this](const LaunchInfo& launch) {
      return 1'000 *
             (outer_us.at(outer) + inner_us.at(launch.kernel == inner_name ? launch.config_id : inner));
    });
  }
};

std::vector<std::string> about(const std::vector<std::string>& warnings, const std::string& words) {
  std::vector<std::string> some;
  std::copy_if(warnings.begin(), warnings.end(), std::back_inserter(some),
               [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
  return some;
}

}  // namespace

TEST_CASE("KernelTuner: a kernel that its launcher launches is tuned first, and the result says so") {
  for (const SearchLevel search : {SearchLevel::off, SearchLevel::normal}) {
    Nested nested("tuner_of_nested");
    KernelTunerOptions options{
        .warmup_runs = 1, .benchmark_runs = 2, .cache_directory = "", .tuning = quick()};
    options.tuning.timer = nested.timer();
    options.tuning.search = search;
    KernelTuner tuner{"tuner_of_nested", blocks(2), [&](const Block& block, int) { nested.launch(block); },
                      options};
    const TuningResult result = tuner.tune({.problem_size = {3}}, 1);
    CHECK(result.best_config_id == 0);
    REQUIRE(result.all_results.size() == 2);
    CHECK(about(result.warnings, "\"tuner_of_nested\" launches tunable kernels: these are tuned first")
              .size() == 1);
    CHECK(about(result.warnings, "own times contain").empty());
  }
}

TEST_CASE("kernel: one that launches another tunable kernel in a region is warned about, once") {
  Nested nested("plain_outer");
  TunableKernel outer{"plain_outer", blocks(2), [](int n) { return make_key(n); },
                      [&](const Block& block, int) { nested.launch(block); }};
  const TemporaryDirectory logs;
  const RegionReport report = tuned(quick(nested.timer(), {.log_directory = logs.path()}), "plain_nested",
                                    [&] { outer(1), outer(2), nested.kernel(); });
  const std::vector<std::string> warnings = about(report.warnings,
                                                  "kernel \"plain_outer\" launches the tunable kernel "
                                                  "\"plain_outer_inner\", which is tuned beside it: its own "
                                                  "times contain that kernel's");
  CHECK_THAT(only(warnings), ContainsAll("`autotune`", "`Alternatives`"));
  CHECK(count_of(text_of_file(logs.path() / "rank-0.jsonl"), "which is tuned beside it") == 1);
}

TEST_CASE("kernel: a KernelTuner of one that exists and launches another one warns in its result") {
  Nested nested("existing_outer");
  TunableKernel outer{"existing_outer", blocks(2), [](int n) { return make_key(n); },
                      [&](const Block& block, int) { nested.launch(block); }};
  KernelTunerOptions options{.warmup_runs = 1, .benchmark_runs = 2, .cache_directory = "", .tuning = quick()};
  options.tuning.timer = nested.timer();
  KernelTuner tuner{outer, options};
  CHECK(about(tuner.tune({.problem_size = {3}}, 1).warnings, "own times contain").size() == 1);
}

TEST_CASE("kernel: one that has nothing to tune itself may launch another one") {
  Nested nested("untuned");
  TunableKernel single{"untuned_single", blocks(1), single_problem,
                       [&](const Block& block) { nested.launch(block); }};
  bool launches = false;
  TunableKernel locked_in{"untuned_locked_in", blocks(2), single_problem, [&](const Block& block) {
                            if (launches) {
                              nested.launch(block);
                            }
                          }};
  ContextualAutotuner tuner{quick(nested.timer())};
  tuner.run("untuned", [&] { locked_in(); });
  launches = true;
  tuner.run("untuned", [&] { locked_in(); });
  tuner.run("untuned single", [&] { single(); });
  for (const char* const region : {"untuned", "untuned single"}) {
    CHECK(problem_of(tuner, region, nested.inner_name).choice == 1);
    CHECK(about(report_of(tuner, region).warnings, "own times contain").empty());
  }
}

TEST_CASE("kernel: launches side by side, and those of alternatives and functions, are not warned about") {
  Nested nested("quiet");
  TunableKernel beside{"quiet_beside", blocks(2), single_problem, [](const Block&) {}};
  auto function = autotune("quiet_function", blocks(2), single_problem,
                           [&](const Block& block) { nested.launch(block); });
  Alternatives<void()> either{
      "quiet_either", single_problem, {{"one", [&] { nested.kernel(); }}, {"two", [&] { beside(); }}}};
  const RegionReport report = tuned(quick(nested.timer()), "quiet", [&] {
    beside();
    nested.kernel();
    function();
    either();
  });
  CHECK(about(report.warnings, "own times contain").empty());
}

TEST_CASE("function: one that launches a kernel only later is warned about, in its own words") {
  Nested nested("late_outer");
  int runs = 0;
  auto function = autotune("late_outer", blocks(3), single_problem,
                           [&](const Block& block) {
                             if (++runs > 3) {
                               nested.launch(block);
                             }
                           },
                           {.options = quick(nested.timer())});
  function();
  const Report report = function.report();
  const auto warnings = about(report.find("late_outer")->warnings, "own times contain");
  CHECK_THAT(only(warnings), ContainsAll("function \"late_outer\" launches the tunable kernel",
                                         "Let its default launch that kernel from the first call on"));
}

}  // namespace contextual::test::inner_launch_test
