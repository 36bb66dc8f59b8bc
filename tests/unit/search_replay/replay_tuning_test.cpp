#include "search/replay_tuning.hpp"

#include "support/catch.hpp"
#include "unit/search_replay/scripted_region.hpp"

namespace replay_tuning_test {

using search_replay::Assignment;
using search_replay::Replay;
using search_replay::replay_tuning;
using search_replay::test::ScriptedRegion;

namespace {

double sum_of_distances(const Assignment& a) {
  double sum = 1000;
  for (const std::size_t config : a) {
    sum += 100 * (config > 2 ? static_cast<double>(config - 2) : static_cast<double>(2 - config));
  }
  return sum;
}

}  // namespace

TEST_CASE("a tuning run on a region without noise ends at its best assignment") {
  ScriptedRegion region({4, 5}, sum_of_distances, 1000);
  const Replay replay = replay_tuning({}, region);
  CHECK(replay.regret == 0);
  CHECK(replay.runs == region.runs());
  CHECK(replay.curve.front().regret == Approx(0.4));
}

TEST_CASE("a problem joins the tuning run when the region first launches it") {
  ScriptedRegion region({4, 5}, sum_of_distances, 1000);
  region.last_joins_after = 21;
  CHECK(replay_tuning({}, region).regret == 0);
  std::vector<Assignment> runs;
  for (const auto& batch : region.batches) {
    runs.insert(runs.end(), batch.begin(), batch.end());
  }
  const auto joined =
      std::find_if(runs.begin(), runs.end(), [](const Assignment& a) { return a.size() == 2; });
  CHECK(joined - runs.begin() == 21);
}

}  // namespace replay_tuning_test
