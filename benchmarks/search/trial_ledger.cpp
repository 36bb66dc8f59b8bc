#include "search/trial_ledger.hpp"

#include "search/quantile.hpp"

#include <algorithm>

namespace search_replay {

using contextual::SearchObservation;
using contextual::SearchTrial;

TrialLedger::TrialLedger(const contextual::SearchRequest& request) : runs_left_(request.max_runs) {
  for (const contextual::SearchProblem& problem : request.problems) {
    std::vector<bool>& candidates = candidates_.emplace_back();
    for (const contextual::SearchConfig& config : problem.configs) {
      candidates.push_back(config.candidate);
    }
  }
  for (const contextual::SearchSample& sample : request.walked) {
    if (sample.runs.empty()) {
      unusable_.insert(sample.assignment);
    }
  }
}

void TrialLedger::plan(const std::vector<SearchTrial>& trials) {
  pending_.clear();
  std::int64_t left = runs_left_;
  std::set<Assignment> added;  // their first runs are paid once
  for (const SearchTrial& trial : trials) {
    const std::int64_t trial_cost = cost(trial) - (added.contains(trial.assignment) ? 1 : 0);
    if (usable(trial.assignment) && trial_cost <= left) {
      left -= trial_cost;
      pending_.push_back(trial);
      if (!known(trial.assignment)) {
        added.insert(trial.assignment);
      }
    }
  }
}

void TrialLedger::observe(const SearchObservation& observation) {
  const Assignment& assignment = observation.trial.assignment;
  runs_left_ -= std::max<std::int64_t>(1, static_cast<std::int64_t>(observation.runs.size()));
  if (observation.infeasible) {
    lost(assignment);
    return;
  }
  std::vector<double>& makespans = makespans_ns_[assignment];
  for (std::size_t run = 1; run < observation.runs.size(); ++run) {
    if (observation.runs[run].makespan_ns) {
      makespans.push_back(static_cast<double>(*observation.runs[run].makespan_ns));
    }
  }
  const auto done = std::find(pending_.begin(), pending_.end(), observation.trial);
  if (done != pending_.end()) {
    pending_.erase(done);
  }
}

void TrialLedger::reject(std::size_t problem, std::size_t config_id) {
  candidates_.at(problem).at(config_id) = false;
  std::erase_if(pending_, [&](const SearchTrial& trial) { return !usable(trial.assignment); });
}

void TrialLedger::lost(const Assignment& assignment) {
  unusable_.insert(assignment);
  std::erase_if(pending_, [&](const SearchTrial& trial) { return trial.assignment == assignment; });
}

bool TrialLedger::usable(const Assignment& assignment) const {
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    if (!candidates_[p][assignment[p]]) {
      return false;
    }
  }
  return !unusable_.contains(assignment);
}

std::int64_t TrialLedger::cost(const SearchTrial& trial) const {
  return (known(trial.assignment) ? 0 : 1) + 1 + trial.samples;
}

const std::vector<double>& TrialLedger::samples_ns(const Assignment& assignment) const {
  static const std::vector<double> none;
  const auto found = makespans_ns_.find(assignment);
  return found == makespans_ns_.end() ? none : found->second;
}

std::optional<Assignment> TrialLedger::best_by_median() const {
  std::optional<Assignment> best;
  double best_ns = 0;
  for (const auto& [assignment, makespans] : makespans_ns_) {
    if (makespans.empty() || !usable(assignment)) {
      continue;
    }
    const double median_ns = median(makespans);
    if (!best || median_ns < best_ns) {
      best = assignment;
      best_ns = median_ns;
    }
  }
  return best;
}

}  // namespace search_replay
