/// \file
/// The documented iteration table, from real launches.

#include "support/engine.hpp"

namespace contextual::test::table_test {

TEST_CASE(
    "table: kernels of 2 and 3 configs give the documented table line for line, and launch what it says") {
  std::vector<int> first;
  std::vector<int> second;
  TunableKernel kernel_0{"kernel-0", blocks(2), single_problem,
                         [&](const Block& c) { first.push_back(c.block); }};
  TunableKernel kernel_1{"kernel-1", blocks(3), single_problem,
                         [&](const Block& c) { second.push_back(c.block); }};
  const RegionReport report = tuned("table", [&] { kernel_0(), kernel_1(); });
  CHECK(report.table_text() ==
        "| Tuning-Iter | kernel-0 | kernel-1 |\n"
        "| --- | --- | --- |\n"
        "| 0 | config-0 (iter-0) | config-0 (iter-0) |\n"
        "| 1 | config-0 (iter-1) | config-0 (iter-1) |\n"
        "| 2 | config-1 (iter-0) | config-1 (iter-0) |\n"
        "| 3 | config-1 (iter-1) | config-1 (iter-1) |\n"
        "| 4 | best-config | config-2 (iter-0) |\n"
        "| 5 | best-config | config-2 (iter-1) |\n"
        "| final | best-config | best-config |\n");
  CHECK(first == std::vector<int>{0, 0, 1, 1, 1, 1, 1});
  CHECK(second == std::vector<int>{0, 0, 1, 1, 2, 2, 2});
}

TEST_CASE("table: the defaults of the options are 3 warm-ups and 5 repeats") {
  TunableKernel kernel{"table_default_counts", blocks(3), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{{.search = SearchLevel::off, .log_directory = "", .timer = last_is_fastest()}};
  int runs = 0;
  tuner.run("table_default_counts", [&] { ++runs, kernel(); });
  CHECK(runs == 3 * (3 + 5) + 1);
  CHECK(problem_of(tuner, "table_default_counts", "table_default_counts").configs[2].time.count == 5);
}

TEST_CASE("table: a problem first seen at iteration i ends its walk at i + configs x (warm-ups + repeats)") {
  TunableKernel early{"table_early", blocks(4), single_problem, [](const Block&) {}};
  std::vector<int> used;
  TunableKernel late{"table_late", blocks(3), single_problem,
                     [&](const Block& c) { used.push_back(c.block); }};
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  const int first_seen = 4;
  tuner.run("table_late", [&] {
    early();
    if (runs++ >= first_seen) {
      late();
    }
  });
  CHECK(runs == first_seen + 3 * 2 + 1);
  CHECK(used == std::vector<int>{0, 0, 1, 1, 2, 2, 2});
  const std::string table = report_of(tuner, "table_late").table_text();
  CHECK_THAT(
      table,
      ContainsAll("| 3 | config-1 (iter-1) |  |\n", "| 4 | config-2 (iter-0) | config-0 (iter-0) |\n",
                  "| 9 | best-config | config-2 (iter-1) |\n", "| final | best-config | best-config |\n"));
}

TEST_CASE("table: a config that is not kept takes no rows and is never launched") {
  std::vector<int> used;
  int asked = 0;
  TunableKernel kernel{"table_left_out",
                       blocks(3),
                       single_problem,
                       [&](const Block& c, int) { used.push_back(c.block); },
                       {.keep = [&](const Block& c, const int& size) {
                         ++asked;
                         return c.block != 1 || size != 8;
                       }}};
  const RegionReport report = tuned("table_left_out", [&] { kernel(8); });
  CHECK(used == std::vector<int>{0, 0, 2, 2, 2});
  CHECK(asked == 3 + 5);  // once a config at the problem's first launch, and once for each launch
  const ProblemReport problem = of_kernel(report, "table_left_out");
  CHECK(problem.configs[1].left_out);
  CHECK_FALSE(problem.configs[0].left_out);
  CHECK(problem.choice == 2);
}

}  // namespace contextual::test::table_test
