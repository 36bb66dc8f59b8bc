#pragma once

/// \file
/// Choice points: problems whose configs are alternatives, which may launch problems of their own. Pure.
///
/// The problems of each alternative are tuned under it, together with those around the choice point, and then
/// the alternatives are compared, each with what was best for it. One choice point at a time does so; one
/// that stands in an alternative of another one is finished first. Those of one kernel, side by side, go from
/// alternative to alternative together, and are compared one after the other.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/problem_request.hpp"
#include "contextual/policy/problem_state.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace contextual::policy {

/// Not thread-safe. Problems are named by their index in `problems`, which every call gets.
class ChoicePoints {
 public:
  explicit ChoicePoints(const std::vector<ProblemState>& problems) : problems_(problems) {}

  /// Returns the choice of every problem so far.
  Assignment choices() const;
  /// Returns the same, but with the default for each problem that has walked and can still use it.
  Assignment defaults() const;
  /// Returns the same, but with the default for every problem that this run tunes and that can still use it.
  Assignment all_defaults() const;

  /// Call it when a problem has joined: the alternatives that are held now have to be tuned again.
  void joined();
  /// Call it after each rejection of a config: another one takes its place.
  void rejected(std::size_t problem, std::size_t config_id);
  /// Call it after each tuning iteration, with the config of every problem.
  void note(const Assignment& assignment, const IterationOutcome& outcome);

  /// Returns true if the problem is one, which has no own times.
  bool has(std::size_t problem) const { return problems_[problem].request().choice_point; }
  /// Returns true if, with this assignment, the region launches the problem.
  bool active(std::size_t problem, const Assignment& assignment) const;
  /// Returns the same for the choices of all problems so far.
  bool active_now(std::size_t problem) const;
  /// Returns true if it launches a config that is rejected or left out, and not used because nothing else is
  /// left.
  bool launches_rejected(const Assignment& assignment) const;
  /// Returns the assignment with 0 for each problem that is not active, so that assignments which launch the
  /// same are equal.
  Assignment normal(Assignment assignment) const;
  /// Returns true if both assignments use the same alternatives.
  bool same_alternatives(const Assignment& a, const Assignment& b) const;
  /// Returns true if the choice point, or an alternative of it, launches the problem.
  bool below(std::size_t problem, std::size_t choice_point) const;

  /// Returns the active choice point whose alternatives are to be tuned next: the innermost one, or nothing.
  std::optional<std::size_t> exploring() const;
  /// Returns the choice point whose alternatives are being compared, or nothing.
  std::optional<std::size_t> comparing() const;
  /// Returns the active choice points that explore together with this one, which is among them.
  std::vector<std::size_t> together(std::size_t choice_point) const;
  /// From now on each of these explores by itself. What they hold and is not tuned counts as not seen.
  void part(const std::vector<std::size_t>& choice_points);
  /// Returns the first viable alternative that is tuned, or nothing.
  std::optional<std::size_t> first_tuned(std::size_t choice_point) const;
  /// Returns true if the region has run with the alternative that an exploring choice point holds.
  bool seen(std::size_t choice_point) const;
  /// Returns true if the problems of the alternative that it holds, and those around it, are tuned.
  bool tuned(std::size_t choice_point) const;
  /// Notes that they are, with what was chosen for all problems.
  void note_tuned(std::size_t choice_point);
  /// Returns the next viable alternative that is not tuned, or nothing.
  std::optional<std::size_t> next(std::size_t choice_point) const;
  /// Returns about how many searches are still to come for the active choice points that explore.
  std::size_t searches_left() const;

  /// Returns, by alternative, the choices of all problems that are best with it; empty where it is not tuned,
  /// and without the problems that have joined since. What is locked in has the choices of now, and so have
  /// other choice points of the same kernel beside it, with what they launch, where that is `allowed`.
  std::vector<Assignment> best_by_alternative(std::size_t choice_point,
                                              const std::function<bool(const Assignment&)>& allowed) const;
  /// Returns true if the problem waits for no choice point: what the search chooses for it now is final.
  bool settles(std::size_t problem) const;

  /// An alternative that cannot be used.
  struct Dead {
    std::size_t choice_point = 0;
    std::size_t alternative = 0;
    Reason reason;
  };
  /// Returns a viable alternative that launches a problem of which no config is left, or nothing.
  std::optional<Dead> dead() const;
  /// Returns true if an alternative that is not viable launches the problem.
  bool out_of_use(std::size_t problem) const;
  /// Returns true if an alternative launches the problem of which it is not decided yet whether it is used.
  bool undecided(std::size_t problem) const;

  /// Returns the outcome with times of the choice points: the makespan or, without one, the sum of the times
  /// of what the alternative launched.
  IterationOutcome with_own_times(const Assignment& assignment, IterationOutcome outcome) const;

 private:
  using Alternative = std::pair<std::size_t, std::size_t>;  ///< of a choice point

  const std::optional<UnderAlternative>& under(std::size_t problem) const;
  std::optional<std::size_t> first_viable(std::size_t choice_point, bool tuned) const;
  bool are_siblings(std::size_t a, std::size_t b) const;
  bool is_beside(std::size_t problem, std::size_t choice_point) const;
  Assignment with_choices_of_now(Assignment best, std::size_t choice_point, bool beside) const;
  Alternative held(std::size_t choice_point) const;

  const std::vector<ProblemState>& problems_;
  std::set<Alternative> seen_;
  std::set<std::size_t> apart_;             ///< choice points that explore by themselves
  std::map<Alternative, Assignment> best_;  ///< of the alternatives that are tuned
};

}  // namespace contextual::policy
