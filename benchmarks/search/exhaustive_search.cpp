#include "search/exhaustive_search.hpp"

namespace search_replay {
namespace {

constexpr std::size_t trials_per_batch = 16;

}  // namespace

ExhaustiveSearch::ExhaustiveSearch(const contextual::SearchRequest& request)
    : BaselineSearch(request), next_(request.problems.size(), 0) {
  begin();
}

std::vector<contextual::SearchTrial> ExhaustiveSearch::next_trials() {
  std::vector<contextual::SearchTrial> trials;
  while (trials.size() < trials_per_batch) {
    trials.push_back({next_, 1});
    step();
  }
  return trials;
}

/// Counts up like a number with one digit a problem; all zeros follow the last assignment.
void ExhaustiveSearch::step() {
  for (std::size_t p = next_.size(); p-- > 0;) {
    if (++next_[p] < request().problems[p].configs.size()) {
      return;
    }
    next_[p] = 0;
  }
}

}  // namespace search_replay
