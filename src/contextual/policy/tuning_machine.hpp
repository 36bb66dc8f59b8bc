#pragma once

/// \file
/// What the state machine of one `run` knows, and the steps that take it on: planning, observing, exploring.

#include "contextual/policy/choice_points.hpp"
#include "contextual/policy/feasibility.hpp"
#include "contextual/policy/problem_state.hpp"
#include "contextual/policy/region_search.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/policy/walk_log.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace contextual::policy {

/// Not thread-safe.
struct TuningState::Impl {
  explicit Impl(PolicyOptions o)
      : options(std::move(o)),
        choice_points(problems),
        feasibility(&choice_points),
        search({options, walk_log, choice_points, feasibility}) {}

  std::vector<std::size_t> walking() const;
  bool any_walking() const { return !walking().empty(); }
  bool open() const;
  bool searching() const { return !any_walking() && search.running(); }
  ProblemState& closed_problem(std::size_t index);
  std::vector<IterationPlan> plan(std::size_t length) const;
  std::size_t walk_batch_length(std::size_t longest) const;
  std::size_t most_runs(std::size_t length) const;
  Assignment assignment_of(const IterationPlan& planned) const;
  bool is_sample(const std::vector<IterationPlan>& plan, std::size_t i) const;
  bool open_ones_launched(const Assignment& assignment, const IterationOutcome& outcome) const;
  void observe_iterations(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome);
  void observe_search(const std::vector<SearchRunPlan>& runs, const BatchOutcome& outcome);
  void reject(const RejectionOutcome& rejection);
  void reject_at(const BatchOutcome& outcome, std::size_t iteration);
  void observe_walk(const std::vector<IterationPlan>& plan, std::size_t i, const IterationOutcome& outcome);
  std::vector<std::size_t> beginning(const Assignment& assignment, const IterationOutcome& outcome) const;
  void judge_first_run(const std::vector<std::size_t>& beginning, const Assignment& assignment,
                       const IterationOutcome& outcome);
  void condemn(const Assignment& assignment, const IterationOutcome& outcome, const std::string& reason);
  void note_presence(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome);
  void skip_ruled_out();
  bool allows(const Assignment& assignment) const;
  void replace_ruled_out();
  void replace_forbidden();
  bool replace_one(const Assignment& chosen, const std::function<bool(const Assignment&)>& allowed,
                   const std::string& reason);
  bool replace_all(const Assignment& chosen, const std::string& reason);
  void advance();
  void close_unused();
  void note_end_of_search();
  bool explore();
  bool coupled(const std::vector<std::size_t>& siblings) const;
  bool part(std::size_t choice_point);
  void note_tuned(std::size_t choice_point);
  void close_exploring(std::size_t choice_point, const std::string& reason);
  std::optional<std::size_t> unproven_alternative(const Assignment& assignment) const;
  bool make_way(Assignment& assignment, std::span<const std::size_t> others, std::size_t changes,
                int& questions) const;
  bool rule_out_first_run(std::size_t choice_point);
  std::vector<Assignment> best_by_alternative(std::size_t choice_point) const;
  SearchTask task() const;
  bool has_work_for_search() const;
  void reject_dead_alternatives();
  std::int64_t iterations() const { return walk_iterations + search_iterations; }

  PolicyOptions options;
  std::vector<ProblemState> problems;
  WalkLog walk_log;
  ChoicePoints choice_points;
  Feasibility feasibility;
  RegionSearch search;
  std::string cut;  ///< why no more runs are spent on searching; empty while they are
  /// The assignment of a first run in the walk, with the shortest makespan of such runs of the same problems.
  std::optional<std::pair<Assignment, std::int64_t>> shortest_first_run;
  bool begun = false;    ///< a batch has been observed
  bool hit_cap = false;  ///< of the iterations
  std::int64_t walk_iterations = 0;
  std::int64_t search_iterations = 0;
  std::int64_t walk_retakes = 0;  ///< steps that had to be taken again
};

}  // namespace contextual::policy
