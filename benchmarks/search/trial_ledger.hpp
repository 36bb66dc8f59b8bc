#pragma once

/// \file
/// What the baseline searches have in common: the trials of a batch that are still to be run, what was
/// measured, and how many runs are left.

#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace search_replay {

using contextual::Assignment;

class TrialLedger {
 public:
  /// Of the walk only what it found to be infeasible counts.
  explicit TrialLedger(const contextual::SearchRequest& request);

  const std::vector<contextual::SearchTrial>& pending() const { return pending_; }
  /// Makes trials the next batch. Assignments that are known to be infeasible, and trials for which no runs
  /// are left, are left out.
  void plan(const std::vector<contextual::SearchTrial>& trials);
  void clear() { pending_.clear(); }

  void observe(const contextual::SearchObservation& observation);
  void reject(std::size_t problem, std::size_t config_id);
  void lost(const Assignment& assignment);

  /// Returns false if the assignment is infeasible or ruled out, or has a config that is no candidate.
  bool usable(const Assignment& assignment) const;
  bool known(const Assignment& assignment) const { return makespans_ns_.contains(assignment); }
  /// Returns how many runs a trial takes: a first run if the assignment is new, a lead-in and the samples.
  std::int64_t cost(const contextual::SearchTrial& trial) const;

  std::int64_t runs_left() const { return runs_left_; }
  /// The makespans of the samples so far, without lead-ins, in the order in which they were taken.
  const std::vector<double>& samples_ns(const Assignment& assignment) const;
  /// Returns the usable assignment with the least median of its samples, or nothing if none has a sample.
  std::optional<Assignment> best_by_median() const;

 private:
  std::vector<contextual::SearchTrial> pending_;
  std::map<Assignment, std::vector<double>> makespans_ns_;  ///< of assignments that have run
  std::set<Assignment> unusable_;                           ///< infeasible or ruled out
  std::vector<std::vector<bool>> candidates_;               ///< by problem and config
  std::int64_t runs_left_;
};

}  // namespace search_replay
