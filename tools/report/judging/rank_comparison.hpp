#pragma once

/// \file
/// The differences between ranks, and which of them are slow.

#include "report/judging/run_view.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace contextual::log_report {

struct Disagreement {
  std::string what;  ///< "choice of gemm (4096)"
  std::string text;  ///< "rank 0: config-1 ...; rank 1: config-2 ..."
};

/// Returns the differences in what must be equal on all ranks: choices and options.
std::vector<Disagreement> disagreements_of(const RunOfAllRanks& run);

/// How one rank's own times compare with the agreed ones.
struct RankShare {
  std::int64_t rank = 0;
  double slowest_share = 0;  ///< the share of iterations in which this rank's time was the longest
  double median_ratio = 0;   ///< the median of the own time divided by the agreed one
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
