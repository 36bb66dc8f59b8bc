#pragma once

/// \file
/// The replicated state machine of one `run`: which config every tuning problem uses next, and what is
/// locked in. Pure: no clock, no device, no communication, no thread. Every rank feeds its copy the same
/// agreed outcomes and so takes the same decisions.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/batch_plan.hpp"
#include "contextual/policy/contest.hpp"
#include "contextual/policy/policy_options.hpp"
#include "contextual/policy/problem_record.hpp"
#include "contextual/policy/problem_request.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

/// Not thread-safe.
class TuningState {
 public:
  /// Throws InvalidArgument for options that make no sense.
  explicit TuningState(PolicyOptions options);
  ~TuningState();
  TuningState(TuningState&&) noexcept;
  TuningState& operator=(TuningState&&) noexcept;

  /// Adds a problem and returns its index. Problems first seen in a batch are added before that batch is
  /// observed: its outcome has cells for them and its plan has none. Every launch of them used config 0, and
  /// they count. Throws InvalidArgument for a request that makes no sense.
  std::size_t add_problem(const ProblemRequest& request);

  /// Nothing is left to try: what comes is the final run.
  bool done() const;

  /// The finals wait while they are held, because a rank still walks through problems of its own.
  void hold_finals(bool held);

  /// How many tuning iterations the next batch should have, >= 1; 1 while no problem is known.
  std::size_t suggested_length() const;

  /// The next batch, of exactly `length` iterations. A problem whose plan ends sooner goes on with its best.
  std::vector<IterationPlan> plan(std::size_t length) const;

  /// Takes what `plan` brought, agreed over all ranks. The plan is one that this state made, and nothing but
  /// problems that joined may have changed the state since. Throws InvalidArgument when the outcome does not
  /// fit the plan, or the plan does not fit the contest that runs.
  void observe(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome);

  /// Takes agreed rejections that were found while preparing: nothing ran. Plans made before are void.
  void reject(const std::vector<RejectionOutcome>& rejections);

  /// Makes what is open provisional, with `reason`.
  void close_open_problems(const std::string& reason);

  /// The final run rejected `config_id` of a problem that is not open any more, agreed over all ranks. The
  /// config is out. Where it was the choice, the second best that was measured takes its place at once, and
  /// the default where none was. Returns whether the choice is another one now, so that the final run has to
  /// be repeated; false also when no config is left, and the problem failed. Throws InvalidArgument for a
  /// problem that is still open.
  bool reject_choice(std::size_t problem, std::size_t config_id, const std::string& reason);

  /// No choice of the problem could be confirmed, because of `reason`: the best that is not rejected is used
  /// for now, and the default where nothing was measured. Without effect on a problem that failed; throws
  /// InvalidArgument for one that is still open.
  void make_provisional(std::size_t problem, const std::string& reason);

  std::size_t problem_count() const;
  const ProblemRecord& problem(std::size_t index) const;
  const std::vector<Contest>& contests() const;  ///< of the finals so far, in their order
  std::int64_t iterations() const;               ///< tuning iterations that were observed
  std::int64_t walk_iterations() const;          ///< those of the walk
  std::int64_t search_iterations() const;        ///< those of the finals
  std::int64_t retakes() const;  ///< steps and rounds of the finals that had to be taken again
  /// An estimate, for telling how much time is left.
  std::int64_t expected_remaining_iterations() const;
  bool hit_iteration_cap() const;  ///< what was open then is provisional

  /// The config a failed launch of the problem falls back to, besides the default: the best fully measured
  /// one. Empty when there is none, or when it is the default.
  std::optional<std::size_t> best_so_far(std::size_t problem) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contextual::policy
