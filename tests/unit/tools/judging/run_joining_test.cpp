#include "report/format/texts.hpp"
#include "report/judging/runs.hpp"
#include "support/catch.hpp"
#include "unit/tools/sample_logs.hpp"

namespace run_joining_test {

using namespace contextual::log_report;
using namespace report_test;

namespace {

/// Rank `rank` of a run that ended before the ranks met.
std::string never_met(const SampleRun& run, int rank) {
  Events events = start_only(run, rank);
  events.emplace_back(failed(run, rank, "RankMismatchError", "options differ", {1}, -1));
  return lines_of(events);
}

}  // namespace

TEST_CASE("join_runs: ranks of one tuning_id are one run, several runs are in the order of their start",
          "[unit]") {
  const SampleRun first{.id = "b1", .time = "2026-01-31T12:00:00Z"};
  const SampleRun second{.id = "a2", .time = "2026-01-31T12:00:01Z"};
  const Logs logs = read({lines_of(events_of(first, 0)) + lines_of(events_of(second, 0)),
                          lines_of(events_of(first, 1)) + lines_of(events_of(second, 1))});
  const auto runs = join_runs(logs);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].id == "b1");
  CHECK(runs[1].id == "a2");
  for (const RunOfAllRanks& run : runs) {
    CHECK(run.met);
    CHECK(run.ranks.size() == 2);
    CHECK(run.absent.empty());
  }
}

TEST_CASE("join_runs: ranks that never met are joined by region, count and time", "[unit]") {
  const SampleRun run{.id = "x", .time = "2026-01-31T12:00:00Z"};
  const SampleRun late{.id = "y", .time = "2026-01-31T12:00:50Z"};
  const SampleRun next_day{.id = "z", .time = "2026-02-01T12:00:00Z"};
  const Logs logs = read({never_met(run, 0) + never_met(next_day, 0), never_met(late, 1)});
  const auto runs = join_runs(logs);
  REQUIRE(runs.size() == 2);
  CHECK_FALSE(runs[0].met);
  CHECK(runs[0].ranks.size() == 2);
  CHECK(runs[1].ranks.size() == 1);
  CHECK(runs[1].absent == std::vector<std::int64_t>{1});
}

TEST_CASE("join_runs: ranks in different regions at one time are one run that names both", "[unit]") {
  const SampleRun here{.region = "forward"};
  const SampleRun there{.region = "backward"};
  const Logs logs = read({never_met(here, 0), never_met(there, 1)});
  const auto runs = join_runs(logs);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].several_regions);
  CHECK(runs[0].ranks.size() == 2);
}

TEST_CASE("join_runs: a rank that died before its hello line joins the run that lacks it", "[unit]") {
  const SampleRun run;
  const Logs logs = read({lines_of(until(events_of(run, 0), 3)), lines_of(start_only(run, 1))});
  const auto runs = join_runs(logs);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].ranks.size() == 2);
}

TEST_CASE("join_runs: two groups with the same ids by chance stay two runs", "[unit]") {
  const SampleRun run;
  const Logs logs = read({lines_of(events_of(run, 0)), lines_of(events_of(run, 1)),
                          lines_of(events_of(run, 0)), lines_of(events_of(run, 1))});
  const auto runs = join_runs(logs);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].ranks.size() == 2);
  CHECK(runs[1].ranks.size() == 2);
}

TEST_CASE("join_runs: a run_id that a later program has again is another run", "[unit]") {
  const SampleRun run{.ranks = 1};
  const Logs logs = read({lines_of(events_of(run, 0)) + lines_of(events_of(run, 0))});
  CHECK(join_runs(logs).size() == 2);
}

}  // namespace run_joining_test
