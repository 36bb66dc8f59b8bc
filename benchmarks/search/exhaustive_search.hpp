#pragma once

/// \file
/// A baseline: all assignments.

#include "search/baseline_search.hpp"

namespace search_replay {

/// Samples all assignments in order, again and again, as far as the runs go. Chooses by the median of each
/// assignment's samples.
class ExhaustiveSearch final : public BaselineSearch {
 public:
  explicit ExhaustiveSearch(const contextual::SearchRequest& request);

  std::optional<Assignment> best() const override { return ledger().best_by_median(); }
  std::string reason() const override { return "fastest of all assignments that were tried"; }

 private:
  std::vector<contextual::SearchTrial> next_trials() override;
  void step();

  Assignment next_;
};

}  // namespace search_replay
