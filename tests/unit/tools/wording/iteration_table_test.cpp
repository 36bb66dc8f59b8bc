#include "report/wording/iteration_table.hpp"

#include "support/catch.hpp"
#include "unit/tools/judging/analysed.hpp"

#include <limits>

namespace iteration_table_test {

using namespace contextual::log_report;
using namespace report_test;

TEST_CASE(
    "rows_of: steps of one config and equal rows of the search are one row, all are there without joining",
    "[unit]") {
  const Analysed run = analysed(files_of({}));
  const std::vector<TableRow> joined = rows_of(run.analysis.view, Rows::joined, 10);
  REQUIRE(joined.size() == 10);
  CHECK(joined[0].cells == std::vector<std::string>{"config-0 (iter-0..2)", "config-0 (iter-0..2)"});
  CHECK(joined[2].cells == std::vector<std::string>{"config-2 (iter-0..2)", "best: config-0"});
  CHECK(joined[3].phase == contextual::Phase::search);
  CHECK(joined[3].cells == std::vector<std::string>{"config-1 (lead-in)", "config-0 (lead-in)"});
  CHECK(joined[4].cells == std::vector<std::string>{"config-1 (candidate)", "config-0 (candidate)"});
  CHECK(joined[9].phase == contextual::Phase::final_run);
  const std::vector<TableRow> whole = rows_of(run.analysis.view, Rows::all, 1);
  CHECK(whole.size() == 16);
  CHECK(whole[1].cells == std::vector<std::string>{"config-0 (iter-1)"});
}

TEST_CASE("rows_of: runs of the search with equal assignments and roles share a row", "[unit]") {
  const Events events = changed<contextual::record::LaunchRow>(events_of({.ranks = 1}, 0), [](auto& launch) {
    launch.config.id = launch.phase == contextual::Phase::search ? 0 : launch.config.id;
  });
  const Analysed run = analysed({lines_of(events)});
  const std::vector<TableRow> joined = rows_of(run.analysis.view, Rows::joined, 10);
  REQUIRE(joined.size() == 6);
  CHECK(joined[3].iterations == std::vector<Range>{{9, 9}, {11, 11}, {13, 13}});
  CHECK(joined[4].iterations == std::vector<Range>{{10, 10}, {12, 12}, {14, 14}});
}

TEST_CASE("rows_of: iterations and steps as large as numbers get neither overflow nor join", "[unit]") {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::string text = lines_of(events_of({.ranks = 1}, 0));
  const auto replace = [&](const std::string& from, std::int64_t to) {
    const std::size_t at = text.find("\"" + from + "\":0");
    text.replace(at, from.size() + 4, "\"" + from + "\":" + std::to_string(to));
  };
  replace("tuning_iteration", largest);
  replace("step_iteration", largest);
  replace("tuning_iteration", largest - 1);
  const Analysed run = analysed({text});
  const std::vector<TableRow> table = rows_of(run.analysis.view, Rows::joined, 10);
  CHECK(table.back().iterations == std::vector<Range>{{largest, largest}});
}

}  // namespace iteration_table_test
