#pragma once

/// \file
/// The replicated state machine of one `run`, which decides the config that every tuning problem uses next,
/// and what is locked in. Pure: it uses no clock, no device, no communication and no thread. Every rank feeds
/// its instance the same agreed outcomes, so all ranks take the same decisions.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/batch_plan.hpp"
#include "contextual/policy/far_values.hpp"
#include "contextual/policy/policy_options.hpp"
#include "contextual/policy/problem_record.hpp"
#include "contextual/policy/problem_request.hpp"
#include "contextual/policy/search_record.hpp"

#include <cstdint>
#include <map>
#include <memory>
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
  ~TuningState();
  TuningState(TuningState&&) noexcept;
  TuningState& operator=(TuningState&&) noexcept;

  /// Adds a problem and returns its index. Add the problems first seen in a batch before you observe the
  /// batch: its outcome has cells for them, although its plan has none. These cells count as uses of config
  /// 0. Throws InvalidArgument for a request that makes no sense.
  std::size_t add_problem(const ProblemRequest& request);

  /// Returns true if nothing is left to try, so that the final run comes next.
  bool done() const;

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
  bool comparing() const;

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
  bool reject_choice(std::size_t problem, std::size_t config_id, const std::string& words);

  /// Rules out the assignment of all choices, because its results were wrong in the final run, as agreed
  /// between all ranks. Their configs remain candidates beside others. Returns true if choices have changed,
  /// so that the final run has to be repeated. Throws InvalidArgument while a problem is open.
  bool reject_choices(const std::string& words, Replacement replacement);

  /// Makes a closed problem provisional, because no choice of it could be confirmed for the reason in
  /// `words`. It uses the best config that is not rejected, or the default if nothing was measured. Has no
  /// effect on a failed problem. Throws InvalidArgument for a problem that is still open.
  void make_provisional(std::size_t problem, const std::string& words);

  std::size_t problem_count() const;
  const ProblemRecord& problem(std::size_t index) const;
  const std::vector<SearchRecord>& searches() const;  ///< those that are over, in their order
  /// Returns how many runs took more than three times the median of their configs, see RegionSearch::stalls.
  FarShare stalls() const;
  /// Returns why nothing can be locked in, because no feasible assignment was found; empty otherwise.
  const Reason& failure() const;
  /// Returns a problem of which no config is left though the region needs one, or nothing.
  std::optional<std::size_t> failed_problem() const;
  /// Returns true for a problem that only an alternative launches which cannot be used.
  bool out_of_use(std::size_t index) const;
  /// Returns every assignment that failed as a whole, and the first 200 of those that `feasible` has ruled
  /// out, with the reason.
  std::map<Assignment, Reason> infeasible() const;
  std::int64_t iterations() const;         ///< tuning iterations observed so far
  std::int64_t walk_iterations() const;    ///< those of the walk
  std::int64_t search_iterations() const;  ///< those of the search
  std::int64_t retakes() const;            ///< steps, and runs of the search, that had to be repeated
  /// Returns how many tuning iterations can still come, by what is known so far and if none has to be
  /// repeated.
  std::int64_t most_remaining_iterations() const;
  bool hit_iteration_cap() const;  ///< true if max_iterations cut the walk or the search

  /// Returns the config that a failed launch of the problem falls back to before the default: the best fully
  /// measured one. Returns nothing if there is none or if it is the default.
  std::optional<std::size_t> best_so_far(std::size_t problem) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contextual::policy
