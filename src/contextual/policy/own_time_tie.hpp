#pragma once

/// \file
/// Decides which candidate wins by its own times if the makespans tie. Pure.

#include <contextual/statistic.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace contextual::policy {

/// A difference of at least this many standard errors is not taken for noise. Elsewhere the limit is two
/// errors, which chance exceeds in one of twenty comparisons. Here the limit is higher, because few rounds
/// make the errors uncertain and several candidates make a large difference likely.
inline constexpr double unlikely_errors = 4;

/// Among candidates that tie, the smallest rank wins: the default, then the lowest index.
using Rank = std::pair<bool, std::size_t>;

struct OwnTimeDecision {
  std::size_t winner = 0;   ///< an index of the candidates
  std::size_t fastest = 0;  ///< the index of the candidate with the shortest own time
  /// If noise may have decided, all candidates that are not certainly slower than the fastest; else empty.
  std::vector<std::size_t> close;
  /// True if candidate 0 does not tie with the fastest. If it does, the winner only has the better rank.
  bool told = false;
  double shorter = 0;  ///< the fraction by which the winner's own time is shorter than candidate 0's
};

/// Applies the walk's rule: the shortest own time wins; among candidates that tie with it, the best rank
/// wins, except one that is slower than candidate 0 if candidate 0 does not tie. `is_tie` decides ties, from
/// the paired differences; `tie_margin` is relative to the shortest own time. `own_ns` has every candidate's
/// time for each round, all of them positive, with at least one round and one candidate.
OwnTimeDecision decide_by_own_time(const std::vector<Rank>& ranks,
                                   const std::vector<std::vector<std::int64_t>>& own_ns, double tie_margin,
                                   Statistic statistic);

}  // namespace contextual::policy
