#include "support/catch.hpp"

#include <contextual/report.hpp>

#include <chrono>
#include <string>
#include <utility>

using namespace contextual;

namespace {

template <typename R>
concept CanFind = requires(R&& report) {
  std::forward<R>(report).find("step");
};

static_assert(CanFind<const Report&>);
static_assert(CanFind<Report&>);
static_assert(!CanFind<Report>, "find points into the report: a temporary one is gone by then");
static_assert(!CanFind<const Report>);

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
  search.problems = {{2, ChosenBy::makespan}, {0, ChosenBy::makespan}, {1, ChosenBy::own_time}};
  search.existing = 6;
  search.failed = 1;
  search.runs = 60;
  search.lead_ins = 20;
  search.measured = {{{0, 0, 0}, {5, 100, 1}}, {{1, 2, 0}, {9, 90, 1}}};
  search.choice = {1, 2, 0};
  search.reason = "the shortest makespan";
  search.by_own_time = {1, 2, 0};
  search.reference = SearchReference::defaults;
  search.compared_with = {0, 0, 0};
  search.gain = SearchGain{0.1, 0.09, 0.11};
  region.searches = {search};
  return region;
}

}  // namespace

TEST_CASE("report: an assignment names the problems of its search, in the search's order", "[unit]") {
  const RegionReport region = searched();
  CHECK(region.assignment_text(region.searches[0], {1, 2, 0}) ==
        "gemm (2) config-1, gemm (1) config-2, norm config-0");
  CHECK(region.assignment_text(region.searches[0], {}).empty());
}

TEST_CASE("report: a search has its counts, choice and gain with its interval", "[unit]") {
  CHECK(searched().searches_text() ==
        "2 of 6 assignments measured, 1 infeasible, in 60 runs, 20 of them lead-ins; complete\n"
        "    chosen: gemm (2) config-1, gemm (1) config-2, norm config-0: the shortest makespan\n"
        "    makespan -10.0 % to all defaults (95 % interval -11.0 % to -9.0 %)\n");
}

TEST_CASE("report: a search says what ties, what own times cost, and why it was cut", "[unit]") {
  RegionReport region = searched();
  SearchReport& search = region.searches[0];
  search.within_noise = {{1, 1, 0}, {0, 2, 0}};
  search.by_own_time = {0, 2, 0};
  search.cost_of_own_time = 0.25;
  search.cut = "its budget of 60 runs is spent";
  CHECK_THAT(region.searches_text(), ContainsSubstring("lead-ins; cut: its budget of 60 runs is spent\n"));
  CHECK_THAT(region.searches_text(),
             ContainsSubstring("    within the noise of the choice: 2 other assignments, such as "
                               "gemm (2) config-1, gemm (1) config-1, norm config-0\n"));
  CHECK_THAT(region.searches_text(),
             ContainsSubstring("    best by own times: gemm (2) config-0, gemm (1) config-2, norm config-0, "
                               "+25.0 % to the choice\n"));
  search.cost_of_own_time.reset();
  CHECK_THAT(region.searches_text(), ContainsSubstring("norm config-0, not measured\n"));
}

TEST_CASE("report: a search says what it was compared with", "[unit]") {
  RegionReport region = searched();
  SearchReport& search = region.searches[0];
  search.choice = search.compared_with;
  CHECK_THAT(region.searches_text(), ContainsSubstring("    the defaults were kept\n"));
  search.gain.reset();
  CHECK_THAT(region.searches_text(), ContainsSubstring("    the choice is all defaults\n"));
  search.choice = {1, 2, 0};
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
             ContainsSubstring("    makespan -10.0 % to the default alternative at its best (95 %"));
  search.reference = SearchReference::alternative_defaults;
  CHECK_THAT(region.searches_text(),
             ContainsSubstring("    makespan -10.0 % to the defaults of this alternative (95 %"));
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

TEST_CASE("report: choices are two lines each, whatever names and reasons hold", "[unit]") {
  RegionReport region;
  region.problems = {problem("no\nrm", "(1)", 0), problem("new", "()", 0)};
  region.problems[0].outcome = ProblemOutcome::locked_in;
  region.problems[0].reason = "first\nsecond";
  CHECK(region.choices_text() ==
        "no\\nrm (1): config-0 {}\n    first\\nsecond\n"
        "new (): no choice\n    the run ended before it was tuned\n");
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
