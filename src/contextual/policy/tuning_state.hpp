#pragma once

/// \file
/// The replicated state machine of one `run`, which decides the config that every tuning problem uses next,
/// and what is locked in. Pure: it uses no clock, no device, no communication and no thread. Every rank feeds
/// its instance the same agreed outcomes, so all ranks take the same decisions.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/batch_plan.hpp"
#include "contextual/policy/choice_points.hpp"
#include "contextual/policy/exploration.hpp"
#include "contextual/policy/far_values.hpp"
#include "contextual/policy/feasibility.hpp"
#include "contextual/policy/first_runs.hpp"
#include "contextual/policy/policy_options.hpp"
#include "contextual/policy/problem_request.hpp"
#include "contextual/policy/problem_state.hpp"
#include "contextual/policy/region_search.hpp"
#include "contextual/policy/search_record.hpp"
#include "contextual/policy/walk_log.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

/// What takes the place of choices that are wrong together.
enum class Replacement {
  next_best,             ///< for one of them, what loses least by its own time
  first_that_was_right,  ///< for all of them
};

/// Not thread-safe.
class TuningState {
 public:
  /// Throws InvalidArgument for options that make no sense.
  explicit TuningState(PolicyOptions options);
  TuningState(const TuningState&) = delete;
  TuningState& operator=(const TuningState&) = delete;

  /// Adds a problem and returns its index. Add the problems first seen in a batch before you observe the
  /// batch: its outcome has cells for them, although its plan has none. These cells count as uses of config
  /// 0. Throws InvalidArgument for a request that makes no sense.
  std::size_t add_problem(const ProblemRequest& request);

  /// Returns true if nothing is left to try, so that the final run comes next.
  bool done() const { return (begun_ || !problems_.empty()) && !open(); }

  /// Returns the number of tuning iterations that the next batch should have, at least 1; 1 while no problem
  /// is known.
  std::size_t suggested_length() const;

  /// Plans the next batch, with exactly `length` iterations. A problem with fewer steps continues with its
  /// best config.
  std::vector<IterationPlan> plan(std::size_t length) const;

  /// Takes in the outcome of `plan`, agreed between all ranks. This state must have made the plan, and must
  /// not have changed since, except for added problems. Throws InvalidArgument if the outcome does not fit
  /// the plan, or the plan is not the current one
  /// of a search.
  void observe(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome);

  /// Returns the configs that a planned tuning iteration uses; 0 for problems that it does not launch.
  Assignment assignment_of(const IterationPlan& planned) const;

  /// Returns an outcome of the first iteration of a plan in which its assignment is infeasible, without
  /// having been run.
  BatchOutcome infeasible_outcome(const IterationPlan& planned, const std::string& words) const;

  /// Returns true if a closing comparison has samples and is not over. They can only be compared with samples
  /// of the same process.
  bool comparing() const { return search_.comparing(); }

  /// Takes in agreed rejections of configs that could not be prepared, before anything ran. Earlier plans are
  /// void.
  void reject(const std::vector<RejectionOutcome>& rejections);

  /// Makes all open problems provisional, with `reason`.
  void close_open_problems(const Reason& reason);

  /// Rejects a config of a closed problem, or leaves out its default, because the final run rejected it,
  /// agreed between all ranks. If it was the choice, the best of the other measured configs takes its place,
  /// or the default if none was measured. Returns true if the choice has changed, so that the final run has
  /// to be repeated. Returns false also if no config is left; the problem has failed then. Throws
  /// InvalidArgument for a problem that is still open.
  bool reject_choice(const RejectionOutcome& rejection);

  /// Rules out the assignment of all choices, because its results were wrong in the final run, as agreed
  /// between all ranks. Their configs remain candidates beside others. Returns true if choices have changed,
  /// so that the final run has to be repeated. Throws InvalidArgument while a problem is open.
  bool reject_choices(const std::string& words, Replacement replacement);

  /// Makes a closed problem provisional, because no choice of it could be confirmed for the reason in
  /// `words`. It uses the best config that is not rejected, or the default if nothing was measured. Has no
  /// effect on a failed problem. Throws InvalidArgument for a problem that is still open.
  void make_provisional(std::size_t problem, const std::string& words);

  std::size_t problem_count() const { return problems_.size(); }
  const ProblemRecord& problem(std::size_t index) const { return problems_.at(index).record(); }
  /// Returns those that are over, in their order.
  const std::vector<SearchRecord>& searches() const { return search_.records(); }
  /// Returns how many runs took more than three times the median of their configs, see RegionSearch::stalls.
  FarShare stalls() const { return search_.stalls(); }
  /// Returns why nothing can be locked in, because no feasible assignment was found; empty otherwise.
  const Reason& failure() const { return search_.failure(); }
  /// Returns a problem of which no config is left though the region needs one, or nothing.
  std::optional<std::size_t> failed_problem() const;
  /// Returns true for a problem that only an alternative launches which cannot be used.
  bool out_of_use(std::size_t index) const { return choice_points_.out_of_use(index); }
  /// Returns every assignment that failed as a whole, and the first 200 of those that `feasible` has ruled
  /// out, with the reason.
  std::map<Assignment, Reason> infeasible() const { return feasibility_.known_infeasible(); }
  /// Returns the number of tuning iterations observed so far, and of those of the walk and of the search.
  std::int64_t iterations() const { return walk_iterations_ + search_iterations_; }
  std::int64_t walk_iterations() const { return walk_iterations_; }
  std::int64_t search_iterations() const { return search_iterations_; }
  /// Returns the number of steps, and runs of the search, that had to be repeated.
  std::int64_t retakes() const { return walk_retakes_ + search_.retakes(); }
  /// Returns how many tuning iterations can still come, by what is known so far and if none has to be
  /// repeated.
  std::int64_t most_remaining_iterations() const;
  /// Returns true if max_iterations cut the walk or the search.
  bool hit_iteration_cap() const { return hit_cap_; }

  /// Returns the config that a failed launch of the problem falls back to before the default: the best fully
  /// measured one. Returns nothing if there is none or if it is the default.
  std::optional<std::size_t> best_so_far(std::size_t problem) const {
    return problems_.at(problem).best_so_far();
  }

 private:
  std::vector<std::size_t> walking() const;
  bool open() const;
  bool searching() const { return walking().empty() && search_.running(); }
  ProblemState& closed_problem(std::size_t index);
  std::size_t walk_length(const std::vector<std::size_t>& walking, std::size_t longest) const;
  std::size_t walk_batch_length(std::size_t longest) const;

  void check(const std::vector<RejectionOutcome>& rejections) const;
  void check(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome) const;
  void observe_iterations(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome);
  void observe_search(const std::vector<IterationPlan>& plan, const std::vector<SearchRunPlan>& runs,
                      const BatchOutcome& outcome);
  void observe_walk(const std::vector<IterationPlan>& plan, std::size_t i, const IterationOutcome& outcome);
  bool is_sample(const std::vector<IterationPlan>& plan, std::size_t i) const;
  bool open_ones_launched(const Assignment& assignment, const IterationOutcome& outcome) const;
  void take_out(const RejectionOutcome& rejection);
  void reject(std::size_t problem, std::size_t config_id, const Reason& reason);
  void reject_elsewhere(std::size_t problem, std::size_t config_id, bool decided_before);
  void reject_at(const BatchOutcome& outcome, std::size_t iteration);
  void condemn(const Assignment& assignment, const IterationOutcome& outcome, const Reason& reason);
  void note_presence(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome);

  void advance();
  void skip_infeasible();
  void replace_ruled_out();
  void replace_forbidden();
  bool replace_by_next_best(const Assignment& chosen, const Reason& reason);
  bool replace_by_first_run(const Assignment& chosen, const Reason& reason);
  bool replace_by_any_first_run(const Reason& reason);
  void close_unused();
  void reject_dead_alternatives();
  bool has_work_for_search() const;
  SearchTask task() const;
  void note_end_of_search();
  bool explore();
  bool take(const Exploration::Step& step);

  PolicyOptions options_;
  std::vector<ProblemState> problems_;
  WalkLog walk_log_;
  ChoicePoints choice_points_;
  Feasibility feasibility_;
  FirstRuns first_runs_;
  Exploration exploration_;
  RegionSearch search_;
  Reason cut_;            ///< why no more runs are spent on searching; empty while they are
  bool begun_ = false;    ///< a batch has been observed
  bool hit_cap_ = false;  ///< of the iterations
  std::int64_t walk_iterations_ = 0;
  std::int64_t search_iterations_ = 0;
  std::int64_t walk_retakes_ = 0;  ///< steps that had to be taken again
};

}  // namespace contextual::policy
