#include "report/judging/runs.hpp"
#include "report/trace/trace.hpp"
#include "support/catch.hpp"
#include "unit/tools/sample_logs.hpp"

#include <functional>

namespace aligned_timelines_test {

using namespace contextual::log_report;
using namespace report_test;

namespace {

namespace record = contextual::record;

/// Keeps alive what the timelines point to.
struct Aligned {
  Logs logs;
  std::vector<RunOfAllRanks> runs;
  std::vector<AlignedTimeline> sides;
};

/// `change` may change each timeline before it is read.
Aligned aligned(
    const SampleRun& run,
    const std::function<void(int rank, record::Timeline&)>& change = [](int, auto&) {}) {
  std::vector<std::string> files;
  for (int rank = 0; rank < run.ranks; ++rank) {
    files.push_back(lines_of(changed<record::Timeline>(
        events_of(run, rank), [&](record::Timeline& timeline) { change(rank, timeline); })));
  }
  Aligned result{read(files), {}, {}};
  result.runs = join_runs(result.logs);
  REQUIRE(result.runs.size() == 1);
  result.sides = aligned_timelines(result.runs[0]);
  return result;
}

}  // namespace

TEST_CASE("aligned_timelines: ranks are aligned at the end of the handshake, to within the shortest one",
          "[unit]") {
  const Aligned of_three = aligned({.ranks = 3});
  REQUIRE(of_three.sides.size() == 2);
  CHECK(of_three.sides[0].side == TimelineSide::defaults);
  CHECK(of_three.sides[1].side == TimelineSide::chosen);
  for (const AlignedTimeline& side : of_three.sides) {
    CHECK(side.anchor_ns == 4'000);   // rank 0 waited longest
    CHECK(side.error_ns() == 1'400);  // rank 2: from 600 to 2000
    REQUIRE(side.ranks.size() == 3);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      CHECK(side.ranks[rank].rank->rank == static_cast<std::int64_t>(rank));
      CHECK(side.ranks[rank].shift_ns == 1'000.0 * static_cast<double>(rank));
      REQUIRE(side.ranks[rank].handshake != nullptr);
      CHECK(side.ranks[rank].handshake->begin_ns == 600);  // not the work before it
    }
  }
  CHECK(of_three.sides[0].first().tuning_iteration == 12);
  CHECK(of_three.sides[1].first().tuning_iteration == 10);
}

TEST_CASE("aligned_timelines: if some rank has no handshake, all are aligned at their first launch",
          "[unit]") {
  const auto change = GENERATE(
      +[](record::Timeline& timeline) { timeline.others.clear(); },
      // still under way when the first launch begins
      +[](record::Timeline& timeline) {
        timeline.others = {{0, 0, timeline.launches[0].begin_ns + 1}};
      });
  const Aligned two = aligned({.ranks = 2}, [&](int rank, record::Timeline& timeline) {
    if (rank == 1) {
      change(timeline);
      timeline.end_ns += 50'000;
    }
  });
  REQUIRE(two.sides.size() == 2);
  const AlignedTimeline& side = two.sides[1];
  CHECK(side.anchor_ns == 3'100);
  CHECK(side.ranks[0].shift_ns == 0);
  CHECK(side.ranks[1].shift_ns == 1'000);
  CHECK(side.ranks[0].handshake == nullptr);
  CHECK_FALSE(side.error_ns());
}

TEST_CASE("aligned_timelines: one rank needs no alignment", "[unit]") {
  const Aligned one = aligned({.ranks = 1});
  REQUIRE(one.sides.size() == 2);
  CHECK_FALSE(one.sides[0].error_ns());
  CHECK(one.sides[0].ranks[0].shift_ns == 0);
}

TEST_CASE("aligned_timelines: a rank with another iteration or without a timeline is named, not shown",
          "[unit]") {
  const Aligned three = aligned({.ranks = 3}, [](int rank, record::Timeline& timeline) {
    timeline.tuning_iteration += rank == 1 ? 2 : 0;
    if (rank == 2 && timeline.side == TimelineSide::defaults) {
      timeline.launches.clear();
    }
  });
  REQUIRE(three.sides.size() == 2);
  CHECK(three.sides[0].first().tuning_iteration == 12);
  CHECK(three.sides[0].other_ranks == std::vector<std::int64_t>{1, 2});
  CHECK(three.sides[0].ranks.size() == 1);
  CHECK(three.sides[1].first().tuning_iteration == 10);
  CHECK(three.sides[1].other_ranks == std::vector<std::int64_t>{1});
  CHECK(three.sides[1].ranks.size() == 2);
}

TEST_CASE("aligned_timelines: logs without timelines have none", "[unit]") {
  const Logs logs =
      read({lines_of(without_timelines(events_of({}, 0))), lines_of(without_timelines(events_of({}, 1)))});
  const std::vector<RunOfAllRanks> runs = join_runs(logs);
  REQUIRE(runs.size() == 1);
  CHECK(aligned_timelines(runs[0]).empty());
}

}  // namespace aligned_timelines_test
