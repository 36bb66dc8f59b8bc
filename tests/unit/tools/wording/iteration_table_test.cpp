#include "report/wording/sections.hpp"
#include "support/catch.hpp"
#include "unit/tools/judging/analysed.hpp"

#include <functional>
#include <limits>

namespace iteration_table_test {

using namespace contextual::log_report;
using namespace report_test;

namespace {

/// The cells of each row that are not empty.
std::vector<std::string> rows_of(const Analysed& run, Rows rows, std::size_t problems = 2) {
  std::vector<std::string> lines;
  for (const Table::Row& row : iteration_table(run.analysis, rows, problems).rows) {
    lines.push_back(joined(row.cells, "|", std::identity()));
  }
  return lines;
}

}  // namespace

TEST_CASE(
    "iteration_table: steps of one config and equal rows of the search are one row, all are there without "
    "joining",
    "[unit]") {
  const Analysed run = analysed(files_of({}));
  const std::vector<std::string> joined = rows_of(run, Rows::joined);
  REQUIRE(joined.size() == 10);
  CHECK(joined[0] == "walk|0-2|3|config-0 (iter-0..2)|config-0 (iter-0..2)|201.0 us");
  CHECK(joined[2] == "walk|6-8|3|config-2 (iter-0..2)|best: config-0|207.0 us");
  CHECK(joined[3] == "search|9|1|config-1 (lead-in)|config-0 (lead-in)|209.0 us");
  CHECK(joined[4] == "search|10|1|config-1 (candidate)|config-0 (candidate)|210.0 us");
  CHECK(joined[9] == "final|final|1|best: config-1|best: config-0|215.0 us");
  const std::vector<std::string> whole = rows_of(run, Rows::all, 1);
  CHECK(whole.size() == 16);
  CHECK(whole[1] == "walk|1|1|config-0 (iter-1)|201.0 us");
}

TEST_CASE("iteration_table: runs of the search with equal assignments and roles share a row", "[unit]") {
  const Events events = changed<contextual::record::LaunchRow>(events_of({.ranks = 1}, 0), [](auto& launch) {
    launch.config.id = launch.phase == contextual::Phase::search ? 0 : launch.config.id;
  });
  const std::vector<std::string> joined = rows_of(analysed({lines_of(events)}), Rows::joined);
  REQUIRE(joined.size() == 6);
  CHECK(joined[3].starts_with("search|9, 11, 13|3|"));
  CHECK(joined[4].starts_with("search|10, 12, 14|3|"));
}

TEST_CASE("iteration_table: iterations and steps as large as numbers get neither overflow nor join",
          "[unit]") {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::string text = lines_of(events_of({.ranks = 1}, 0));
  const auto replace = [&](const std::string& from, std::int64_t to) {
    const std::size_t at = text.find("\"" + from + "\":0");
    text.replace(at, from.size() + 4, "\"" + from + "\":" + std::to_string(to));
  };
  replace("tuning_iteration", largest);
  replace("step_iteration", largest);
  replace("tuning_iteration", largest - 1);
  const std::vector<std::string> table = rows_of(analysed({text}), Rows::joined);
  CHECK(table.back().starts_with("walk|" + std::to_string(largest) + "|1|"));
}

}  // namespace iteration_table_test
