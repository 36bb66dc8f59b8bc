#pragma once

/// \file
/// What the state machine of one `run` knows, and the steps that take it on.

#include "contextual/policy/choice_points.hpp"
#include "contextual/policy/choice_replacement.hpp"
#include "contextual/policy/exploration.hpp"
#include "contextual/policy/feasibility.hpp"
#include "contextual/policy/first_runs.hpp"
#include "contextual/policy/problem_state.hpp"
#include "contextual/policy/region_search.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/policy/walk_log.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace contextual::policy {

/// Not thread-safe.
struct TuningState::Impl {
  explicit Impl(PolicyOptions o)
      : options(std::move(o)),
        choice_points(problems),
        feasibility(&choice_points, &options),
        first_runs(problems, choice_points),
        exploration(options, problems, choice_points, feasibility),
        replacement(problems, choice_points, feasibility),
        search({options, walk_log, choice_points, feasibility}) {}

  std::vector<std::size_t> walking() const;
  bool any_walking() const { return !walking().empty(); }
  bool open() const;
  bool searching() const { return !any_walking() && search.running(); }
  ProblemState& closed_problem(std::size_t index);
  std::vector<IterationPlan> plan(std::size_t length) const;
  std::size_t walk_batch_length(std::size_t longest) const;
  Assignment assignment_of(const IterationPlan& planned) const;
  bool is_sample(const std::vector<IterationPlan>& plan, std::size_t i) const;
  bool open_ones_launched(const Assignment& assignment, const IterationOutcome& outcome) const;
  void observe_iterations(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome);
  void observe_search(const std::vector<IterationPlan>& plan, const std::vector<SearchRunPlan>& runs,
                      const BatchOutcome& outcome);
  void reject(const RejectionOutcome& rejection);
  void reject(std::size_t problem, std::size_t config_id, const Reason& reason);
  void reject_elsewhere(std::size_t problem, std::size_t config_id, bool decided_before);
  void reject_at(const BatchOutcome& outcome, std::size_t iteration);
  void observe_walk(const std::vector<IterationPlan>& plan, std::size_t i, const IterationOutcome& outcome);
  void condemn(const Assignment& assignment, const IterationOutcome& outcome, const Reason& reason);
  void note_presence(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome);
  void skip_infeasible();
  void replace_ruled_out();
  void replace_forbidden();
  void advance();
  void close_unused();
  void note_end_of_search();
  bool explore();
  SearchTask task() const;
  bool has_work_for_search() const;
  void reject_dead_alternatives();
  std::int64_t iterations() const { return walk_iterations + search_iterations; }

  PolicyOptions options;
  std::vector<ProblemState> problems;
  WalkLog walk_log;
  ChoicePoints choice_points;
  Feasibility feasibility;
  FirstRuns first_runs;
  Exploration exploration;
  ChoiceReplacement replacement;
  RegionSearch search;
  Reason cut;            ///< why no more runs are spent on searching; empty while they are
  bool begun = false;    ///< a batch has been observed
  bool hit_cap = false;  ///< of the iterations
  std::int64_t walk_iterations = 0;
  std::int64_t search_iterations = 0;
  std::int64_t walk_retakes = 0;  ///< steps that had to be taken again
};

}  // namespace contextual::policy
