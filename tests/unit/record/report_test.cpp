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

}  // namespace

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
