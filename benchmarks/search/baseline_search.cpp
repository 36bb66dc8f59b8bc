#include "search/baseline_search.hpp"

#include <algorithm>

namespace search_replay {
namespace {

/// A first run, a lead-in and a sample.
constexpr std::int64_t runs_of_smallest_new_trial = 3;

/// So many batches in a row of which nothing can be run mean that nothing is left.
constexpr int barren_batches_at_end = 1000;

}  // namespace

void BaselineSearch::observe(const contextual::SearchObservation& observation) {
  ledger_.observe(observation);
  advance();
}

void BaselineSearch::reject(std::size_t problem, std::size_t config_id) {
  ledger_.reject(problem, config_id);
  advance();
}

void BaselineSearch::lost(const contextual::Assignment& assignment) {
  ledger_.lost(assignment);
  advance();
}

std::size_t BaselineSearch::remaining_runs() const {
  return complete_ ? 0 : static_cast<std::size_t>(std::max<std::int64_t>(1, ledger_.runs_left()));
}

void BaselineSearch::advance() {
  for (int barren = 0; !complete_ && ledger_.pending().empty(); ++barren) {
    std::vector<contextual::SearchTrial> trials;
    if (barren < barren_batches_at_end && ledger_.runs_left() >= runs_of_smallest_new_trial) {
      trials = next_trials();
    }
    complete_ = trials.empty();
    ledger_.plan(trials);
  }
}

}  // namespace search_replay
