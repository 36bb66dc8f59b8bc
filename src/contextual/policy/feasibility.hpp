#pragma once

/// \file
/// Which assignments have run successfully, and which ones failed although none of their configs is to blame
/// by itself. Pure.

#include "contextual/policy/choice_points.hpp"
#include "contextual/policy/policy_options.hpp"
#include "contextual/policy/reason.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace contextual::policy {

/// Assignments of all problems of a run. When a problem joins, assignments become longer, and what is known
/// of the shorter ones says nothing about the longer ones, unless they do not launch the problem. Configs of
/// problems that an assignment does not launch count for nothing. Not thread-safe.
class Feasibility {
 public:
  /// Both outlive it; null where there are no choice points, or where the user rules nothing out.
  explicit Feasibility(const ChoicePoints* choice_points = nullptr, const PolicyOptions* options = nullptr)
      : choice_points_(choice_points), options_(options) {}

  /// Makes assignments that do not launch the newest problems as long as those of so many problems. What was
  /// proven of the others is forgotten.
  void extend(std::size_t problem_count);
  void succeeded(const Assignment& assignment);
  /// The assignment must not be run again. It may have succeeded before.
  void failed(const Assignment& assignment, const Reason& reason);

  /// The user has ruled the assignment out, which says nothing of its configs. Counted up to 100000.
  void rule_out(const Assignment& assignment);

  bool proven(const Assignment& assignment) const {
    return proven_.contains(assignment) && !infeasible(assignment);
  }
  /// Returns true if it has failed, or if a config of it was rejected since.
  bool infeasible(const Assignment& assignment) const {
    return failures_.contains(assignment) ||
           (choice_points_ != nullptr && choice_points_->launches_rejected(assignment));
  }
  /// Returns true if it has failed for want of a valid time alone: it can be run.
  bool only_untimed(const Assignment& assignment) const {
    const auto failure = failures_.find(assignment);
    return failure != failures_.end() && failure->second.parts.front().why == Why::no_time_in_runs;
  }
  /// Returns true if it is not infeasible, and the user does not rule it out.
  bool allows(const Assignment& assignment) const {
    return !infeasible(assignment) &&
           (options_ == nullptr || !options_->feasible || options_->feasible(assignment));
  }
  /// Returns the first assignment of so many problems that succeeded and has not failed since, and that fits.
  std::optional<Assignment> first_proven(std::size_t problem_count,
                                         const std::function<bool(const Assignment&)>& fits = {}) const;
  /// Returns why it is not allowed: how it has failed, or else that the user rules it out.
  Reason reason_against(const Assignment& assignment) const {
    const auto failure = failures_.find(assignment);
    return failure == failures_.end() ? Reason(Why::ruled_out) : failure->second;
  }
  /// Returns every failed assignment with the reason.
  const std::map<Assignment, Reason>& failures() const noexcept { return failures_; }
  /// Returns the number of assignments that have failed or were ruled out.
  std::size_t infeasible_count() const;
  /// Returns every failed assignment, and the first ones of those that were ruled out, with the reason.
  std::map<Assignment, Reason> known_infeasible() const;

  /// Returns true if the config was part of an assignment that succeeded.
  bool has_succeeded(std::size_t problem, std::size_t config_id) const {
    return problem < succeeded_.size() && config_id < succeeded_[problem].size() &&
           succeeded_[problem][config_id];
  }

 private:
  bool launches(const Assignment& assignment, std::size_t problem) const {
    return choice_points_ == nullptr || choice_points_->active(problem, assignment);
  }
  /// Returns true if the next problem is one that the assignment does not launch.
  bool extendable(const Assignment& assignment, std::size_t problem_count) const;
  void extend(Assignment& assignment, std::size_t problem_count) const;

  const ChoicePoints* choice_points_;
  const PolicyOptions* options_;
  std::set<Assignment> proven_;
  std::vector<Assignment> in_order_;  ///< the proven ones
  std::map<Assignment, Reason> failures_;
  std::set<Assignment> ruled_out_;
  std::vector<std::vector<bool>> succeeded_;  ///< by problem and config
};

}  // namespace contextual::policy
