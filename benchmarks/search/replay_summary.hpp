#pragma once

/// \file
/// The figures of many replays of one region with one search.

#include "search/replay.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace search_replay {

/// Regrets are relative; one is infinity where the choice is infeasible.
struct ReplaySummary {
  double median_regret = 0;
  double regret_95 = 0;  ///< not exceeded by 95 % of the replays
  double largest_regret = 0;
  std::size_t infeasible_choices = 0;
  std::size_t unseen = 0;    ///< replays by Replay::miss
  std::size_t mistaken = 0;  ///< the same
  std::size_t lost = 0;      ///< the same
  std::int64_t median_runs = 0;
  std::int64_t runs_95 = 0;
};

/// Throws InvalidArgument if there is no replay.
ReplaySummary summarize(const std::vector<Replay>& replays);

/// The regret of what was the choice after a number of runs.
struct SummaryPoint {
  std::int64_t runs = 0;
  double median_regret = 0;
  double regret_95 = 0;
};

/// Returns about `point_count` points in equal steps, up to the most runs of a replay.
std::vector<SummaryPoint> summarize_curves(const std::vector<Replay>& replays, std::size_t point_count);

}  // namespace search_replay
