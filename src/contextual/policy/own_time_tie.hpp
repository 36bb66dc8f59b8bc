#pragma once

/// \file
/// Which candidate wins by its own times where the makespans tie. Pure.

#include <contextual/statistic.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace contextual::policy {

/// A difference of this many standard errors is not taken for noise, though a few rounds make these errors
/// uncertain and several candidates make a large one likely. Two errors, as elsewhere, are exceeded by chance
/// in one of twenty comparisons.
inline constexpr double unlikely_errors = 4;

/// Of those that tie the one with the smallest rank wins: the default, then the lowest index.
using Rank = std::pair<bool, std::size_t>;

struct OwnTimeDecision {
  std::size_t winner = 0;   ///< an index of the candidates
  std::size_t fastest = 0;  ///< the one with the shortest own time
  /// Where the noise may have decided, all that are not slower than the fastest for sure; empty where it has
  /// not.
  std::vector<std::size_t> close;
  /// Candidate 0 does not tie with the fastest. Where it does, the winner only has the better rank.
  bool told = false;
  double shorter = 0;  ///< by how much the winner's own time is shorter than candidate 0's, relatively
};

/// The walk's rule: the shortest own time; of those that tie with it the best rank, but none that is slower
/// than a candidate 0 which does not tie. `is_tie` has the rule, with the paired differences; `tie_margin` is
/// relative to the shortest own time. `own_ns`: for each round every candidate's time, all positive; at least
/// one round and one candidate.
OwnTimeDecision decide_by_own_time(const std::vector<Rank>& ranks,
                                   const std::vector<std::vector<std::int64_t>>& own_ns, double tie_margin,
                                   Statistic statistic);

}  // namespace contextual::policy
