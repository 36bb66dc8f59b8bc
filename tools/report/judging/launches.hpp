#pragma once

/// \file
/// The launches of all ranks of a tuning run, side by side, and which ranks are slow.

#include "report/judging/runs.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace contextual::log_report {

/// One problem in one tuning iteration, on all ranks that have it: by rank, never empty.
struct Cell : std::span<const RankLaunch* const> {
  const ProblemName* problem() const { return front()->problem(); }
  /// Returns the agreed time of the first rank that has one.
  RankLaunch::Time agreed_ns() const;
  bool all_ok() const;  ///< on every rank
};

struct Iteration {
  std::int64_t number = 0;
  Phase phase = Phase::walk;
  std::span<const RankLaunch* const> launches;  ///< by problem, in the order of RunView::problems, and rank
  RankLaunch::Time makespan_ns{
      std::nullopt};  ///< the agreed one, or the longest if ranks have different ones

  std::vector<Cell> cells() const;
};

struct RunView {
  std::vector<const ProblemName*> problems;  ///< in the order in which they were first seen
  std::vector<const RankLaunch*> launches;   ///< those that the iterations show
  std::vector<Iteration> iterations;
};

/// `run` must outlive the result.
RunView view_of(const RunOfAllRanks& run);

/// The median; 0 for no values.
double median_of(std::vector<double> values);

/// How one rank's own times compare with those of the slowest rank.
struct RankShare {
  std::int64_t rank = 0;
  double slowest_share = 0;  ///< the share of iterations in which this rank's time was the longest
  double median_ratio = 0;   ///< the median of the own time divided by the longest one
};

/// The slowness of ranks in the whole region or in one problem.
struct Slowness {
  const ProblemName* problem = nullptr;  ///< null for the region's makespan
  std::size_t iterations = 0;            ///< the number compared, without warm-ups and lead-ins
  std::vector<RankShare> ranks;          ///< most often slowest first
};

/// Returns the region first, then the problems whose ranks can be compared. Returns nothing for a single
/// rank.
std::vector<Slowness> slowness_of(const RunView& view);

}  // namespace contextual::log_report
