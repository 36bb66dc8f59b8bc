#include "support/catch.hpp"

#include <contextual/report.hpp>

#include <algorithm>
#include <chrono>
#include <string>

namespace report_test {

using namespace contextual;

namespace {

ProblemReport problem(const std::string& kernel, const std::string& key, std::size_t first_row) {
  ProblemReport report;
  report.kernel = kernel;
  report.key = key;
  report.first_row = first_row;
  return report;
}

RegionReport three_problems() {
  RegionReport region;
  region.problems = {problem("gemm", "(1)", 0), problem("norm", "", 0), problem("gemm", "(2)", 1)};
  region.table = {{"0", Phase::walk, {{0, "config-0 (iter-0)"}, {1, "-"}}},
                  {"1", Phase::walk, {{2, "config-0 (iter-0)"}}},
                  {"final", Phase::final_run, {}}};
  return region;
}

/// The configs that the defaults lose against by 10 %.
RegionReport searched() {
  RegionReport region = three_problems();
  SearchReport search;
  search.chosen_by = {ChosenBy::makespan, ChosenBy::own_time, ChosenBy::makespan};
  search.existing = 6;
  search.failed = 1;
  search.runs = 60;
  search.lead_ins = 20;
  search.measured = {{{0, 0, 0}, {5, 100, 1}}, {{2, 0, 1}, {9, 90, 1}}};
  search.choice = {2, 0, 1};
  search.reason = "the shortest makespan";
  search.by_own_time = {2, 0, 1};
  search.reference = SearchReference::defaults;
  search.compared_with = {0, 0, 0};
  search.gain = SearchGain{0.1, 0.09, 0.11};
  region.searches = {search};
  return region;
}

}  // namespace

TEST_CASE("report: an assignment names problems and configs that are no defaults, in their order", "[unit]") {
  RegionReport region = searched();
  region.problems[0].configs.resize(3);
  region.problems[0].configs[2].config = Config{{"BLOCK", 64}};
  CHECK(region.assignment_text(region.searches[0], {2, 0, 1}) == "gemm (1) {BLOCK: 64}, gemm (2) config-1");
  CHECK(region.assignment_text(region.searches[0], {0, 0, 0}) == "all defaults");
  CHECK(region.assignment_text(region.searches[0], {}).empty());
}

TEST_CASE("report: a search has its counts, choice and gain with its interval", "[unit]") {
  CHECK(searched().searches_text() ==
        "2 of 6 assignments measured, 1 infeasible, in 60 runs, 20 of them lead-ins; complete\n"
        "    chosen: gemm (1) config-2, gemm (2) config-1: the shortest makespan\n"
        "    makespan -10.0 % to all defaults (95 % interval -11.0 % to -9.0 %)\n");
}

TEST_CASE("report: a search says what ties, what own times cost, and why it was cut", "[unit]") {
  RegionReport region = searched();
  SearchReport& search = region.searches[0];
  search.within_noise = {{1, 0, 1}, {2, 0, 0}};
  search.by_own_time = {2, 0, 0};
  search.cost_of_own_time = 0.25;
  search.cut = "its budget of 60 runs is spent";
  CHECK_THAT(region.searches_text(), ContainsSubstring("lead-ins; cut: its budget of 60 runs is spent\n"));
  CHECK_THAT(region.searches_text(),
             ContainsSubstring("    within the noise of the choice: 2 other assignments, such as "
                               "gemm (1) config-1, gemm (2) config-1\n"));
  CHECK_THAT(region.searches_text(),
             ContainsSubstring("    best by own times: gemm (1) config-2, +25.0 % to the choice\n"));
  search.cost_of_own_time.reset();
  CHECK_THAT(region.searches_text(), ContainsSubstring("gemm (1) config-2, not measured\n"));
}

TEST_CASE("report: a search says what it was compared with", "[unit]") {
  RegionReport region = searched();
  SearchReport& search = region.searches[0];
  search.choice = search.compared_with;
  CHECK_THAT(region.searches_text(), ContainsSubstring("    the defaults were kept\n"));
  search.lost = {{{1, 0, 0}, {0.2, -0.4, 1.0}}};
  CHECK_THAT(
      region.searches_text(),
      ContainsSubstring("    lost the comparison: gemm (1) config-1: -20.0 % (95 % interval -100.0 % to "
                        "+40.0 %)\n"));
  search.gain.reset();
  CHECK_THAT(region.searches_text(), ContainsSubstring("    the choice is all defaults\n"));
  search.choice = {2, 0, 1};
  CHECK_THAT(region.searches_text(), ContainsSubstring("all defaults, without enough valid times\n"));
  search.reference = SearchReference::first_feasible;
  CHECK_THAT(region.searches_text(), ContainsSubstring("    all defaults together are infeasible; compared"));
  search.choice = search.compared_with;
  CHECK_THAT(region.searches_text(),
             ContainsSubstring("infeasible; the choice is the first assignment that ran"));
  search.reference = SearchReference::none;
  CHECK_THAT(region.searches_text(), ContainsSubstring("    not compared with all defaults\n"));
  search.choice.clear();
  search.reason = "no feasible assignment was found";
  CHECK_THAT(region.searches_text(),
             ContainsSubstring("complete\n    no choice: no feasible assignment was found\n"));
}

TEST_CASE("report: where alternatives are compared, it does not speak of all defaults", "[unit]") {
  RegionReport region = searched();
  SearchReport& search = region.searches[0];
  search.reference = SearchReference::default_alternative;
  CHECK_THAT(region.searches_text(),
             ContainsSubstring("config-1: makespan -10.0 % to the default alternative at its best (95 %"));
  search.reference = SearchReference::alternative_defaults;
  CHECK_THAT(region.searches_text(),
             ContainsSubstring("config-1: makespan -10.0 % to the defaults of this alternative (95 %"));
  search.choice = search.compared_with;
  CHECK_THAT(region.searches_text(), ContainsSubstring("    the defaults were kept\n"));
  search.reference = SearchReference::default_alternative;
  CHECK_THAT(region.searches_text(), ContainsSubstring("    the default alternative was kept\n"));
}

TEST_CASE("report: the table has the key where a kernel has several, and nothing before a problem was seen",
          "[unit]") {
  CHECK(three_problems().table_text() ==
        "| Tuning-Iter | gemm (1) | norm | gemm (2) |\n"
        "| --- | --- | --- | --- |\n"
        "| 0 | config-0 (iter-0) | - |  |\n"
        "| 1 | best-config | best-config | config-0 (iter-0) |\n"
        "| final | best-config | best-config | best-config |\n");
  CHECK(three_problems().table_text(Phase::final_run) ==
        "| Tuning-Iter | gemm (1) | norm | gemm (2) |\n"
        "| --- | --- | --- | --- |\n"
        "| final | best-config | best-config | best-config |\n");
}

TEST_CASE("report: a name with a bar or a line break does not break the table", "[unit]") {
  RegionReport region = three_problems();
  region.problems[1].kernel = "no|rm\nof rows";
  CHECK_THAT(region.table_text(),
             ContainsSubstring("| Tuning-Iter | gemm (1) | no\\|rm of rows | gemm (2) |\n"));
}

TEST_CASE("report: a choice is one line, whatever names and reasons hold", "[unit]") {
  RegionReport region;
  region.problems = {problem("no\nrm", "(1)", 0), problem("new", "()", 0), problem("broken", "()", 0)};
  region.problems[0].outcome = ProblemOutcome::locked_in;
  region.problems[0].reason = "first\nsecond";
  region.problems[2].outcome = ProblemOutcome::failed;
  CHECK(region.choices_text() ==
        "no\\nrm  (1)  {}  default\n"
        "new     ()                no choice: the run ended before\n"
        "broken  ()                no choice: every config was rejected\n");
}

namespace {

ConfigReport config(std::size_t id, int block, const TimeSummary& time) {
  ConfigReport report;
  report.config_id = id;
  report.config = Config{{"BLOCK", block}};
  report.time = time;
  return report;
}

/// Three kernels: the choice of one is faster than its default by own time, that of another is slower, and
/// the last one keeps its default.
RegionReport tuned() {
  RegionReport region = searched();
  region.region = "step";
  region.problems[0].configs = {config(0, 16, {5, 7.5e6, 1e5}), config(1, 32, {0, 0, 0}),
                                config(2, 64, {5, 1.36e6, 2.02e5})};
  region.problems[0].configs[1].rejection = "rank 1: too much\nshared memory";
  region.problems[1].configs = {config(0, 8, {5, 59'600, 5'656})};
  region.problems[2].configs = {config(0, 16, {5, 1e6, 1e5}), config(1, 32, {5, 1.07e6, 1e4})};
  region.problems[0].choice = 2;
  region.problems[2].choice = 1;
  for (ProblemReport& each : region.problems) {
    each.outcome = ProblemOutcome::locked_in;
    each.choice_config = each.configs[each.choice].config;
    each.reason = "because of " + each.kernel;
  }
  region.problems[0].walk_ns = 1'200'000'000;
  region.walk_iterations = 24;
  region.search_iterations = 60;
  region.tuning_ns = 3'400'000'000;
  region.tuned_makespan = TimeSummary{5, 3.58e6, 1e5};
  region.default_makespan = TimeSummary{5, 3.98e6, 2e5};
  region.warnings = {"device 0 is hot"};
  return region;
}

constexpr const char* tuned_choices =
    "gemm  (1)  {BLOCK: 64}  1.36 ms    -82 %\n"
    "norm       {BLOCK: 8}   59.6 us  default\n"
    "gemm  (2)  {BLOCK: 32}  1.07 ms     +7 %\n";
constexpr const char* tuned_region =
    "step: makespan 3.58 ms, -10.0 % to all defaults (95 % interval -11.0 % to -9.0 %); 85 runs in 3.4 s, "
    "1 config rejected\n";

}  // namespace

TEST_CASE("report: choices are aligned, with own times and what they are to the defaults' ones", "[unit]") {
  CHECK(tuned().choices_text() == tuned_choices);
}

TEST_CASE("report: a choice that is not a fresh one says so", "[unit]") {
  RegionReport region = tuned();
  region.problems[0].outcome = ProblemOutcome::provisional;
  region.problems[1].reused = true;
  region.problems[2].reused = true;
  region.problems[2].pinned_by = "file";
  CHECK(region.choices_text() ==
        "gemm  (1)  {BLOCK: 64}  1.36 ms    -82 %  (provisional)\n"
        "norm       {BLOCK: 8}   59.6 us  default  (from an earlier run)\n"
        "gemm  (2)  {BLOCK: 32}  1.07 ms     +7 %  (pinned)\n");
}

TEST_CASE("report: its text has the choices, and the region with makespan, runs and time", "[unit]") {
  CHECK(tuned().to_string() == std::string(tuned_choices) + tuned_region);
}

TEST_CASE("report: its text is no wider than it is told", "[unit]") {
  CHECK(tuned().to_string(Detail::choices, 60) ==
        std::string(tuned_choices) +
            "step: makespan 3.58 ms, -10.0 % to all defaults (95 %\n"
            "    interval -11.0 % to -9.0 %); 85 runs in 3.4 s, 1 config\n"
            "    rejected\n");
}

TEST_CASE("report: the line on the region says what was not compared, resumed or searched", "[unit]") {
  RegionReport region = tuned();
  region.problems.resize(1);
  region.problems[0].configs[1].rejection.reset();
  const auto last_line = [&] {
    const std::string text = region.to_string();
    return text.substr(text.find('\n') + 1);
  };
  region.searches[0].unsure = true;
  CHECK_THAT(region.to_string(Detail::choices, 200),
             ContainsSubstring("%), which is not sure enough to keep it for other processes; "));
  region.searches[0].unsure = false;
  region.searches[0].choice = region.searches[0].compared_with;
  CHECK(last_line() == "step: makespan 3.58 ms, the defaults were kept; 85 runs in 3.4 s\n");
  region.searches[0].lost = {{{1, 0, 0}, {0.01, -0.05, 0.07}}, {{2, 0, 0}, {0.02, -0.14, 0.164}}};
  CHECK_THAT(region.to_string(Detail::choices, 200),
             ContainsSubstring("the defaults were kept instead of gemm {BLOCK: 64}: -2.0 % (95 % interval "
                               "-16.4 % to +14.0 %); 85 runs"));
  region.searches[0].unsure = true;
  CHECK_THAT(region.to_string(Detail::choices, 200),
             ContainsSubstring("to +14.0 %), which is not sure enough to keep it for other processes; 85 "
                               "runs"));
  region.searches[0].lost.clear();
  region.tuned_makespan.reset();
  region.searches[0].reference = SearchReference::none;
  CHECK(last_line() == "step: not compared with all defaults; 85 runs in 3.4 s\n");
  region.searches.clear();
  region.search_iterations = 0;
  region.walk_iterations = 0;
  CHECK(last_line() == "step: 1 run in 3.4 s\n");
  region.table.clear();
  CHECK(last_line() == "step: nothing was tuned\n");
}

TEST_CASE("report: why has each reason, the time of each walk, what was rejected, and the warnings",
          "[unit]") {
  CHECK(
      tuned().to_string(Detail::why) ==
      std::string(tuned_choices) + tuned_region +
          "Why:\n"
          "gemm (1): {BLOCK: 64}: because of gemm\n"
          "    its walk took 1.2 s; own time in it 1.36 ms +- 202 us (5 samples)\n"
          "    rejected: {BLOCK: 32}: rank 1: too much\\nshared memory\n"
          "norm: {BLOCK: 8}: because of norm\n"
          "gemm (2): {BLOCK: 32}: because of gemm\n"
          "makespan in the closing comparison: 3.58 ms +- 100 us (5 samples), all defaults 3.98 ms +- 200 us "
          "(5 samples)\n"
          "Search:\n" +
          tuned().searches_text() + "warning: device 0 is hot\n");
}

TEST_CASE("report: the line of an alternative has by how much it won, and what is in others is not in use",
          "[unit]") {
  RegionReport region;
  region.problems = {problem("attention", "(64)", 0), problem("fused", "(64) in attention (64): fused", 0),
                     problem("first", "(64) in attention (64): separate", 0)};
  for (ProblemReport& each : region.problems) {
    each.outcome = ProblemOutcome::locked_in;
    each.choice = 1;
    each.configs = {config(0, 16, {}), config(1, 32, {})};
    each.choice_config = each.configs[1].config;
    each.reason = "of the search";
  }
  region.problems[1].under = {0, 0};
  region.problems[2].under = {0, 1};
  region.problems[0].configs[0].config = Config{{"alternative", "fused"}};
  region.problems[0].configs[1].config = region.problems[0].choice_config =
      Config{{"alternative", "separate"}};
  SearchReport comparison;
  comparison.chosen_by = {ChosenBy::makespan, ChosenBy::not_tuned, ChosenBy::not_tuned};
  comparison.choice = {1, 0, 1};
  comparison.compared_with = {0, 1, 0};
  comparison.reference = SearchReference::default_alternative;
  comparison.gain = SearchGain{0.25, 0.24, 0.26};
  comparison.runs = 66;
  SearchReport of_fused = comparison;
  of_fused.chosen_by = {ChosenBy::not_tuned, ChosenBy::makespan, ChosenBy::not_tuned};
  of_fused.reference = SearchReference::defaults;
  region.searches = {of_fused, comparison};
  CHECK(region.choices_text() ==
        "attention  (64)                              {alternative: separate}  -25 %\n"
        "fused      (64) in attention (64): fused     {BLOCK: 32}                     (not in use)\n"
        "first      (64) in attention (64): separate  {BLOCK: 32}\n");
  CHECK(
      region.searches_text() ==
      "attention {alternative: separate}, first {BLOCK: 32}: makespan -25.0 % to the default alternative at "
      "its best (95 % interval -26.0 % to -24.0 %); 66 runs\n");
  CHECK_THAT(region.to_string(Detail::why), !ContainsSubstring("fused (64)"));
}

TEST_CASE("report: why says a reason for many configs once, and leaves out what would fill the screen",
          "[unit]") {
  RegionReport region = tuned();
  for (int block = 100; block < 400; ++block) {
    ConfigReport& rejected =
        region.problems[0].configs.emplace_back(config(region.problems[0].configs.size(), block, {}));
    rejected.rejection = block < 350 ? "too many registers" : "reason " + std::to_string(block);
  }
  const std::string why = region.to_string(Detail::why);
  CHECK_THAT(why, ContainsSubstring("    rejected: {BLOCK: 100} and 249 more: too many registers\n") &&
                      ContainsSubstring("    and for 49 more reasons\n"));
  CHECK(std::count(why.begin(), why.end(), '\n') < 30);
}

TEST_CASE("report: a cell is that of the table", "[unit]") {
  const RegionReport region = three_problems();
  CHECK(region.cell_text(0, 0) == "config-0 (iter-0)");
  CHECK(region.cell_text(0, 1) == "-");
  CHECK(region.cell_text(0, 2).empty());
  CHECK(region.cell_text(1, 1) == "best-config");
  CHECK(region.cell_text(1, 2) == "config-0 (iter-0)");
  CHECK(region.cell_text(2, 2) == "best-config");
}

TEST_CASE("report: a table of 100,000 problems takes time in proportion to it", "[unit]") {
  constexpr std::size_t count = 100'000;
  RegionReport region;
  region.table = {{"0", Phase::walk, {}}};
  for (std::size_t i = 0; i < count; ++i) {
    region.problems.push_back(problem("kernel", std::to_string(i), 0));
    region.table[0].cells.push_back({i, "config-0 (iter-0)"});
  }
  const auto start = std::chrono::steady_clock::now();
  const std::string text = region.table_text();
  std::size_t read = 0;
  for (std::size_t i = 0; i < count; ++i) {
    read += region.cell_text(0, i).size();
  }
  // Linear it takes 0.1 s; by pairs of problems minutes.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  CHECK(text.size() > count * 20);
  CHECK(read == count * 17);
}

TEST_CASE("report: the latest run of a region is found", "[unit]") {
  Report report;
  report.runs.resize(3);
  report.runs[0].region = report.runs[2].region = "step";
  report.runs[2].run_id = "later";
  REQUIRE(report.find("step") != nullptr);
  CHECK(report.find("step")->run_id == "later");
  CHECK(report.find("other") == nullptr);
}

}  // namespace report_test
