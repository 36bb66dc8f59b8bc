#pragma once

/// \file
/// A comparison of few assignments in rounds, in which each of them is sampled once. Samples of one round are
/// close in time, so drift of the device cancels out of their ratios.

#include "search/trial_ledger.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <vector>

namespace search_replay {

class InterleavedContest {
 public:
  /// Only samples that `ledger` does not yet have will count.
  InterleavedContest(std::vector<Assignment> entrants, const TrialLedger& ledger);

  std::vector<contextual::SearchTrial> trials(std::size_t rounds) const;

  /// Returns the usable entrants, the one with the least median of paired ratios to the first entrant in
  /// front. Those without a sample come last.
  std::vector<Assignment> ranking(const TrialLedger& ledger) const;

 private:
  std::vector<Assignment> entrants_;
  std::vector<std::size_t> first_samples_;  ///< the index of each entrant's first sample that counts
};

}  // namespace search_replay
