#pragma once

/// \file
/// Which rank was slow.

#include "report/judging/run_view.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace contextual::log_report {

/// How one rank's own times compare with the agreed ones.
struct RankShare {
  std::int64_t rank = 0;
  double slowest_share = 0;  ///< of the iterations in which this rank's time was the longest
  double median_ratio = 0;   ///< own time over the agreed one
};

/// Of the region, or of one problem.
struct Slowness {
  const ProblemName* problem = nullptr;  ///< null: the region's makespan
  std::size_t iterations = 0;            ///< compared, warm-ups left out
  std::vector<RankShare> ranks;          ///< most often slowest first
};

/// Returns the region first, then the problems whose ranks can be compared; nothing for one rank.
std::vector<Slowness> slowness_of(const RunView& view);

}  // namespace contextual::log_report
