/// \file
/// What a run says on stderr, at each level.

#include "contextual/record/printer.hpp"

#include "support/child_process.hpp"
#include "support/engine.hpp"
#include "support/stderr_capture.hpp"

#include <contextual/key.hpp>

#include <algorithm>
#include <functional>
#include <regex>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace printer_test {

using namespace contextual;
using namespace engine_test;

namespace {

struct Wide {
  int columns = 8;
};

/// What is printed while a region is tuned that launches nothing but `launch`.
std::string printed_by(const std::string& region, Print level, const std::function<void()>& launch,
                       Options options = quick()) {
  options.print = level;
  ContextualAutotuner tuner{options};
  const StderrCapture capture;
  tuner.run(region, launch);
  return capture.text();
}

void check_widths(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 120);
    CHECK(line.rfind("[contextual] ", 0) == 0);
  }
}

/// Tunes two kernels, of which the second config of one cannot be launched, and returns what was printed,
/// without times of the host.
std::string printed(const std::string& region, Print level) {
  TunableKernel copy{region + "_copy", blocks(2), single_problem, [](const Block&) {}};
  TunableKernel add{region + "_add", ConfigSpace<Wide>{{"COLUMNS", &Wide::columns, {8, 16, 512}}},
                    [](int n) { return make_key(n); },
                    [](const Wide& config, int) {
                      if (config.columns == 16) {
                        throw ConfigRejected("16 are too few");
                      }
                    }};
  Options options = quick();
  options.n_warmup = 2;
  options.n_repeat = 3;
  const std::string text = printed_by(
      region, level,
      [&] {
        copy();
        add(64);
      },
      options);
  return std::regex_replace(text, std::regex(R"(\d[\d.]* (ns|us|ms|s)(?=,|;|\n| left))"), "TIME");
}

/// Without lines on the progress.
std::string without_progress(const std::string& text) {
  return std::regex_replace(text, std::regex(R"(\[contextual\] \w+: (walk|final) [^\n]*\n)"), "");
}

}  // namespace

TEST_CASE("printing: nothing is printed unless it is asked for", "[unit]") {
  CHECK(printed("printing_nothing", Print::nothing).empty());
}

TEST_CASE("printing: level 1 has progress, and at the end a line for each choice and one on the region",
          "[unit]") {
  const std::string text = printed("printing_choices", Print::choices);
  CHECK_THAT(text, ContainsSubstring("[contextual] printing_choices: walk "));
  CHECK(without_progress(text) ==
        "[contextual] printing_choices: choices\n"
        "[contextual] printing_choices_copy  ()    {BLOCK: 1}      99.0 us  -1 %\n"
        "[contextual] printing_choices_add   (64)  {COLUMNS: 512}  98.0 us  -2 %\n"
        "[contextual] printing_choices: 16 runs in TIME, 1 config rejected\n"
        "[contextual] printing_choices: no results were checked: option `outputs` is not given\n");
}

TEST_CASE("printing: level 2 also says at the end why each was chosen, with a line for each config",
          "[unit]") {
  CHECK(
      without_progress(printed("level_2_lines", Print::configs)) ==
      "[contextual] level_2_lines: choices\n"
      "[contextual] level_2_lines_copy  ()    {BLOCK: 1}      99.0 us  -1 %\n"
      "[contextual] level_2_lines_add   (64)  {COLUMNS: 512}  98.0 us  -2 %\n"
      "[contextual] level_2_lines: 16 runs in TIME, 1 config rejected\n"
      "[contextual] Why:\n"
      "[contextual] level_2_lines_copy (): {BLOCK: 1}: fastest by own time, 1.0 % shorter than the default\n"
      "[contextual]     its walk took TIME; own time in it 99.0 us +- 0 ns (3 samples)\n"
      "[contextual]     {BLOCK: 0}   100 us +- 0 ns (3 samples)\n"
      "[contextual]     {BLOCK: 1}  99.0 us +- 0 ns (3 samples)\n"
      "[contextual] level_2_lines_add (64): {COLUMNS: 512}: fastest by own time, 2.0 % shorter than the "
      "default\n"
      "[contextual]     its walk took TIME; own time in it 98.0 us +- 0 ns (3 samples)\n"
      "[contextual]     {COLUMNS: 8}     100 us +- 0 ns (3 samples)\n"
      "[contextual]     {COLUMNS: 16}                                rejected: 16 are too few\n"
      "[contextual]     {COLUMNS: 512}  98.0 us +- 0 ns (3 samples)\n"
      "[contextual] level_2_lines: no results were checked: option `outputs` is not given\n");
}

TEST_CASE("printing: kernels that check their results are not among those of which none were checked",
          "[unit]") {
  const auto tuned_with = [](const std::string& region, bool second_checks) {
    const auto is_right = [](const Block&) { return true; };
    TunableKernel first{region + "_a", blocks(2), single_problem, [](const Block&) {}, {.check = is_right}};
    TunableKernel<void(const Block&)>::Options options;
    if (second_checks) {
      options.check = is_right;
    }
    TunableKernel second{region + "_b", blocks(2), single_problem, [](const Block&) {}, options};
    return printed_by(
        region, Print::choices,
        [&] {
          first();
          second();
        },
        quick());
  };
  CHECK(count_of(tuned_with("printing_all_check", true), "no results") == 0);
  CHECK_THAT(tuned_with("printing_one_checks", false),
             ContainsSubstring("printing_one_checks: no results of printing_one_checks_b were checked: "));
}

TEST_CASE("printing: a tuning of more than 2 s shows its progress on a terminal, once a second", "[unit]") {
  const auto printed_at = [](Print level, bool on_terminal) {
    std::vector<std::int64_t> printed;
    record::Progress progress{Phase::walk, 1, 96, 3, 0, std::nullopt};
    record::Printer printer(
        level, "step", [&](const std::string&) { printed.push_back(progress.elapsed_ns / 100'000'000); },
        on_terminal);
    for (; progress.elapsed_ns < 3'500'000'000; progress.elapsed_ns += 100'000'000) {
      printer.progress(progress);
    }
    return printed;
  };
  CHECK(printed_at(Print::long_tunings, true) == std::vector<std::int64_t>{21, 31});
  CHECK(printed_at(Print::long_tunings, false).empty());
  CHECK(printed_at(Print::nothing, true).empty());
}

TEST_CASE("printing: the choices are written at once, below the name of their region", "[unit]") {
  std::vector<std::string> written;
  record::Printer printer(Print::choices, "step", [&](const std::string& text) { written.push_back(text); });
  detail::ProblemSlot slot(0, {});
  printer.chosen(slot);
  RegionReport report;
  report.region = "step";
  for (const char* kernel : {"gemm", "copy"}) {
    ProblemReport& problem = report.problems.emplace_back();
    problem.kernel = kernel;
    problem.reason = "fastest";
  }
  printer.end(report, true);
  REQUIRE(written.size() == 1);
  CHECK_THAT(written[0], !ContainsSubstring("checked"));
  CHECK_THAT(written[0], ContainsSubstring("[contextual] step: choices\n[contextual] gemm  ") &&
                             ContainsSubstring("\n[contextual] copy  ") &&
                             ContainsSubstring("\n[contextual] step: "));
}

TEST_CASE("printing: long names and keys are whole, in lines within 120 columns", "[unit]") {
  const std::string long_region = "a_region_with_a_name_that_is_long_enough_to_be_a_nuisance_in_every_line";
  const std::string long_kernel =
      "an_extraordinarily_long_kernel_name_as_templates_make_them<float, 128, 64, true>::kernel";
  const auto lines_of = [&](const std::string& region, const std::string& name,
                            const std::string& parameter) {
    TunableKernel kernel{
        name, ConfigSpace<Config>{{"BLOCK", {64, 128, 256}}, {parameter, {4}}},
        [](int n) { return make_key(n, std::string(90, 'z')); },
        [](const Config& config, int) {
          if (config.get<int>("BLOCK") == 256) {
            throw ConfigRejected("a reason " + std::string(100, 'r') + " in many more words");
          }
        }};
    return printed_by(region, Print::configs, [&] { kernel(4096); });
  };
  for (const auto& [region, kernel, parameter] :
       {std::tuple(std::string("r"), long_kernel, std::string("A")),
        std::tuple(long_region, std::string("k"), std::string("A")),
        std::tuple(long_region, long_kernel, std::string("A_RATHER_LONG_PARAMETER_NAME_FOR_WARPS")),
        std::tuple(std::string("r"), std::string("k"), std::string(130, 'P'))}) {
    const std::string text = lines_of(region, kernel, parameter);
    INFO(text);
    CHECK_THAT(text, !ContainsSubstring(".."));
    CHECK_THAT(text, ContainsSubstring("BLOCK: 64"));
    CHECK_THAT(text, ContainsSubstring("BLOCK: 128"));
    CHECK_THAT(text, ContainsSubstring("rejected: a reason"));
    CHECK_THAT(text, ContainsSubstring("more words"));
    check_widths(without_progress(text));
  }
}

TEST_CASE("printing: progress is printed where a phase begins, and else once a second at most", "[unit]") {
  std::vector<std::string> lines;
  record::Printer printer(Print::choices, "step", [&](const std::string& line) { lines.push_back(line); });
  constexpr std::int64_t ms = 1'000'000;
  for (const auto& [phase, elapsed_ns] :
       {std::pair(Phase::walk, 10 * ms), std::pair(Phase::walk, 1009 * ms), std::pair(Phase::walk, 1010 * ms),
        std::pair(Phase::search, 1011 * ms), std::pair(Phase::search, 2010 * ms),
        std::pair(Phase::final_run, 2011 * ms)}) {
    printer.progress({phase, 5, 96, 1, elapsed_ns, 3 * elapsed_ns});
  }
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "[contextual] step: walk 5 of at most 96 | 1 problem | 10 ms, at most 30 ms left");
  CHECK(lines[1] == "[contextual] step: walk 5 of at most 96 | 1 problem | 1.0 s, at most 3.0 s left");
  CHECK_THAT(lines[2], ContainsSubstring("search"));
  CHECK_THAT(lines[3], ContainsSubstring("final"));
  printer.progress({Phase::walk, 0, 8, 0, 0, std::nullopt});
  CHECK(lines.back() == "[contextual] step: walk 0 of at most 8 | 0 problems | 0 ns");
}

TEST_CASE("printing: a run that has nothing left to tune prints no choices again", "[unit]") {
  TunableKernel copy{"printing_again", blocks(2), single_problem, [](const Block&) {}};
  Options options = quick();
  options.print = Print::choices;
  ContextualAutotuner tuner{options};
  {
    const StderrCapture capture;
    tuner.run("printing_again", [&] { copy(); });
    CHECK_THAT(capture.text(), ContainsSubstring("BLOCK"));
  }
  const StderrCapture capture;
  tuner.run("printing_again", [&] { copy(); });
  CHECK_THAT(capture.text(), !ContainsSubstring("BLOCK"));
}

TEST_CASE("child process: printing by the environment", "[.child]") {
  if (!is_child()) {
    return;
  }
  CHECK_THAT(printed("printing_environment", Print::nothing), ContainsSubstring("Why:\n"));
}

TEST_CASE("printing: CONTEXTUAL_PRINT_AUTOTUNING=2 goes over the option", "[unit]") {
  CHECK(run_child("printing by the environment", {{"CONTEXTUAL_PRINT_AUTOTUNING", "2"}}) == 0);
}

TEST_CASE("printing: a run in which no config is left says so in one line", "[unit]") {
  TunableKernel kernel{"printing_failed", blocks(2), single_problem,
                       [](const Block&) { throw ConfigRejected("no"); }};
  Options options = quick();
  options.print = Print::choices;
  ContextualAutotuner tuner{options};
  const StderrCapture capture;
  CHECK_THROWS_AS(tuner.run("printing_failed", [&] { kernel(); }), TuningFailedError);
  CHECK(
      without_progress(capture.text()) ==
      "[contextual] region \"printing_failed\", kernel \"printing_failed\", key (): no config is left, all 2 "
      "were rejected\n");
}

TEST_CASE("printing: a long warning leaves its lines within 120 columns", "[unit]") {
  std::string written;
  const record::Printer printer(Print::choices, "step", [&](const std::string& text) { written += text; });
  printer.warning(std::string(60, 'a') + " " + std::string(60, 'b') + " c\nd");
  CHECK(written == "[contextual] step: warning: " + std::string(60, 'a') + "\n[contextual]     " +
                       std::string(60, 'b') + " c\\nd");
}

TEST_CASE("printing: what a call uses is on one line with escapes, and on several if that is too long",
          "[unit]") {
  CHECK(record::call_lines("scale", "(1)", "config-0 {B: 1}: chosen before") ==
        "[contextual] scale: (1): config-0 {B: 1}: chosen before");
  CHECK(record::call_lines("a\nb", "(\x1b[31m)", "config-0 {B: 1}: chosen before") ==
        "[contextual] a\\nb: (\\x1b[31m): config-0 {B: 1}: chosen before");
  const std::string longer =
      record::call_lines("scale", "(" + std::string(200, '7') + ")", "config-0 {B: 1}: chosen before");
  CHECK(engine_test::count_of(longer, "7") == 200);
  CHECK_THAT(longer, ContainsSubstring("[contextual] scale:") &&
                         ContainsSubstring("7):\n[contextual]     config-0 {B: 1}: chosen before"));
  check_widths(longer);
  check_widths(record::call_lines(std::string(300, 'r'), std::string(300, 'k'),
                                  "config-0 {B: " + std::string(300, 'c') + "}: chosen before"));
}

}  // namespace printer_test
