#include "search/replay_summary.hpp"

#include "search/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace search_replay {
namespace {

double regret_after(const Replay& replay, std::int64_t runs) {
  const auto later =
      std::upper_bound(replay.curve.begin(), replay.curve.end(), runs,
                       [](std::int64_t value, const CurvePoint& point) { return value < point.runs; });
  return std::prev(later)->regret;
}

std::size_t count_of(const std::vector<Replay>& replays, Miss miss) {
  return static_cast<std::size_t>(std::count_if(
      replays.begin(), replays.end(), [miss](const Replay& replay) { return replay.miss == miss; }));
}

}  // namespace

ReplaySummary summarize(const std::vector<Replay>& replays) {
  std::vector<double> regrets;
  std::vector<double> runs;
  for (const Replay& replay : replays) {
    regrets.push_back(replay.regret);
    runs.push_back(static_cast<double>(replay.runs));
  }
  return {.median_regret = quantile(regrets, 0.5),
          .regret_95 = quantile(regrets, 0.95),
          .largest_regret = quantile(regrets, 1),
          .infeasible_choices = static_cast<std::size_t>(std::count_if(
              regrets.begin(), regrets.end(), [](double regret) { return std::isinf(regret); })),
          .unseen = count_of(replays, Miss::unseen),
          .mistaken = count_of(replays, Miss::mistaken),
          .lost = count_of(replays, Miss::lost),
          .median_runs = static_cast<std::int64_t>(quantile(runs, 0.5)),
          .runs_95 = static_cast<std::int64_t>(quantile(runs, 0.95))};
}

std::vector<SummaryPoint> summarize_curves(const std::vector<Replay>& replays, std::size_t point_count) {
  std::int64_t most_runs = 0;
  for (const Replay& replay : replays) {
    most_runs = std::max(most_runs, replay.runs);
  }
  const std::int64_t step =
      std::max<std::int64_t>(1, most_runs / static_cast<std::int64_t>(std::max<std::size_t>(1, point_count)));
  std::vector<SummaryPoint> points;
  for (std::int64_t runs = 0; runs < most_runs + step; runs += step) {
    std::vector<double> regrets;
    for (const Replay& replay : replays) {
      regrets.push_back(regret_after(replay, runs));
    }
    points.push_back({std::min(runs, most_runs), quantile(regrets, 0.5), quantile(regrets, 0.95)});
  }
  return points;
}

}  // namespace search_replay
