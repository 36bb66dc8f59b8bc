#include "search/replay_summary.hpp"

#include "support/catch.hpp"

#include <limits>

namespace replay_summary_test {

using namespace search_replay;

TEST_CASE("a summary has median, 95 % and largest of the replays") {
  std::vector<Replay> replays;
  for (int i = 1; i <= 100; ++i) {
    replays.push_back({0.01 * i, 10 * i, {}});
  }
  replays[3].miss = Miss::unseen;
  replays[4].miss = replays[5].miss = Miss::lost;
  replays.back().regret = std::numeric_limits<double>::infinity();
  const ReplaySummary summary = summarize(replays);
  CHECK(summary.median_regret == Approx(0.5));
  CHECK(summary.regret_95 == Approx(0.95));
  CHECK(std::isinf(summary.largest_regret));
  CHECK(summary.infeasible_choices == 1);
  CHECK(summary.unseen == 1);
  CHECK(summary.mistaken == 0);
  CHECK(summary.lost == 2);
  CHECK(summary.median_runs == 500);
  CHECK(summary.runs_95 == 950);
}

TEST_CASE("a curve has the regret of the choice at the time") {
  const std::vector<Replay> replays{{0.1, 4, {{0, 0.9}, {2, 0.5}, {4, 0.1}}}};
  const std::vector<SummaryPoint> points = summarize_curves(replays, 4);
  REQUIRE(points.size() == 5);
  CHECK(points[0].median_regret == 0.9);
  CHECK(points[1].median_regret == 0.9);
  CHECK(points[2].median_regret == 0.5);
  CHECK(points[3].median_regret == 0.5);
  CHECK(points[4].median_regret == 0.1);
}

}  // namespace replay_summary_test
