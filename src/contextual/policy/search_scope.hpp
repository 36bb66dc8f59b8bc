#pragma once

/// \file
/// What a search is about: the problems that it chooses for, and what all others use beside them. Pure.

#include "contextual/policy/choice_points.hpp"
#include "contextual/policy/feasibility.hpp"
#include "contextual/policy/policy_options.hpp"
#include "contextual/policy/problem_state.hpp"
#include "contextual/policy/search_record.hpp"
#include "contextual/policy/walk_log.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <vector>

namespace contextual::policy {

/// What the searches of a run go by. All outlive them.
struct SearchBasis {
  const PolicyOptions& options;
  std::vector<ProblemState>& problems;
  const WalkLog& walk;
  const ChoicePoints& choice_points;
  Feasibility& feasibility;
};

/// What a search is to decide.
struct SearchTask {
  std::vector<std::size_t> problems;  ///< problems that have walked
  std::vector<std::size_t> settled;   ///< the problems that are locked in when it is over
  /// Where `problems` is a choice point: by alternative, the choices of all problems that are best with it.
  std::vector<Assignment> by_alternative;
  std::size_t parts = 1;  ///< how many searches share what is left of the budget, with this one
};

/// The members of a search are the problems that are chosen by makespan. A search knows assignments of these
/// alone; everything else knows those of all problems. Not thread-safe.
class SearchScope {
 public:
  explicit SearchScope(const SearchBasis& basis) : basis_(basis) {}

  void begin(SearchTask task, std::vector<std::size_t> members);
  /// Call it whenever the choices of problems may have changed.
  void update();

  const SearchTask& task() const noexcept { return task_; }
  bool compares_alternatives() const noexcept { return !task_.by_alternative.empty(); }
  const std::vector<std::size_t>& members() const noexcept { return members_; }
  bool has_member(std::size_t problem) const;

  /// What the problems that are no members use, and the members before the search.
  const Assignment& base() const noexcept { return base_; }
  /// What the walk would choose by now.
  const Assignment& walked() const noexcept { return walked_; }
  /// The same, with the default of every problem that waits; with alternatives, the default one at its best.
  const Assignment& defaults() const noexcept { return defaults_; }
  /// The default of everything that the run tunes.
  const Assignment& all_defaults() const noexcept { return all_defaults_; }
  struct Next {
    Assignment assignment;
    double longer_by_ns = 0;  ///< than `defaults`, all own times together
  };
  /// Where there are no members: what may only seem longer than `base` by own times, then what follows it,
  /// what ties with it first, then the least loss. Unless all defaults are best, each config is shorter than
  /// the default of its problem.
  const std::vector<Next>& next_by_time() const noexcept { return next_by_time_; }
  /// Returns how many samples `base` needs beyond the walk's, where there are no members. If what is next to
  /// a choice is less than half as long again, slow runs of its own could make it the longer one: a set that
  /// is slow in a quarter of its runs shows that in all but 0.1 % of the tunings. The machine may have been
  /// busy while what is next to defaults walked, or only after they had: both are sampled again.
  int further_samples() const noexcept { return further_samples_; }
  /// Returns true if `base` has run, and is shorter than this by a third at least by own times in the
  /// walk: by the medians, beside the least ones of this, which may have been stalled.
  bool base_is_far_shorter(const Assignment& than) const;
  static constexpr int samples_again = 3;  ///< of defaults and what is next: their median ignores one stall
  /// Returns what `defaults` stand for.
  Reference kind_of_defaults() const;

  Assignment full(const Assignment& of_members) const;
  Assignment of_members(const Assignment& assignment) const { return project(assignment, members_); }

  /// Returns true if the user rules the assignment out, and notes that.
  bool ruled_out(const Assignment& assignment) const;
  /// Returns false for an assignment that is infeasible or that the user has ruled out.
  bool allowed(const Assignment& assignment) const {
    return !basis_.feasibility.infeasible(assignment) && !ruled_out(assignment);
  }

 private:
  void order_by_time();

  SearchBasis basis_;
  SearchTask task_;
  std::vector<std::size_t> members_;
  Assignment base_;
  Assignment walked_;
  Assignment defaults_;
  Assignment all_defaults_;
  std::vector<Next> next_by_time_;
  int further_samples_ = 0;
  std::vector<std::vector<Summary>> own_times_;  ///< by problem of the task and config
};

}  // namespace contextual::policy
