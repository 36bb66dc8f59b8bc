#include "contextual/policy/options_check.hpp"
#include "contextual/policy/tuning_state.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace contextual::policy {
namespace {

Reason no_time_reason(const ProblemState& problem, std::size_t config_id) {
  return Reason({.why = Why::no_time_retaken, .count = problem.record().configs[config_id].retakes});
}

/// The makespan less the own times. Problems without a time of their own, such as choice points, have none.
std::optional<std::int64_t> rest_of(const IterationOutcome& outcome) {
  std::optional<std::int64_t> rest_ns = outcome.makespan_ns;
  for (const CellOutcome& cell : outcome.cells) {
    rest_ns = rest_ns ? std::optional(*rest_ns - cell.time_ns.value_or(0)) : std::nullopt;
  }
  return rest_ns;
}

}  // namespace

/// Throws InvalidArgument if a rejection names a problem or config that does not exist.
void TuningState::check(const std::vector<RejectionOutcome>& rejections) const {
  for (const RejectionOutcome& rejection : rejections) {
    require(rejection.problem < problems_.size() &&
                rejection.config_id < problems_[rejection.problem].record().configs.size(),
            "rejection of a tuning problem or config that does not exist: problem " +
                std::to_string(rejection.problem) + ", config " + std::to_string(rejection.config_id));
  }
}

/// Throws InvalidArgument if the outcome does not fit the plan, or if either does not fit the problems.
void TuningState::check(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome) const {
  require(outcome.iterations.size() <= plan.size(),
          "outcome of " + std::to_string(outcome.iterations.size()) + " tuning iterations for a batch of " +
              std::to_string(plan.size()));
  for (const IterationPlan& iteration : plan) {
    require(iteration.cells.size() <= problems_.size() && iteration.cells.size() == plan.front().cells.size(),
            "plan with " + std::to_string(iteration.cells.size()) + " cells for " +
                std::to_string(problems_.size()) + " tuning problems");
  }
  for (const IterationOutcome& iteration : outcome.iterations) {
    require(iteration.cells.size() == problems_.size(),
            "outcome with " + std::to_string(iteration.cells.size()) + " cells for " +
                std::to_string(problems_.size()) + " tuning problems");
  }
  check(outcome.rejections);
}

void TuningState::reject(const std::vector<RejectionOutcome>& rejections) {
  check(rejections);
  for (const RejectionOutcome& rejection : rejections) {
    take_out(rejection);
  }
  advance();
}

void TuningState::observe(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome) {
  check(plan, outcome);
  observe_iterations(plan, outcome);
  note_presence(plan, outcome);
  begun_ = begun_ || !outcome.iterations.empty();
  const std::chrono::nanoseconds limit = options_.search_time;
  if (limit.count() > 0 && outcome.elapsed_ns >= limit.count()) {
    cut_ = Why::time_over;
  }
  if (iterations() >= options_.max_iterations && open()) {
    hit_cap_ = true;
    cut_ = Reason({.why = Why::iteration_cap, .count = options_.max_iterations});
    advance();
  }
  if (iterations() >= options_.max_iterations && open()) {
    close_open_problems(Reason({.why = Why::open_at_iteration_cap, .count = options_.max_iterations}));
  }
  advance();
}

void TuningState::take_out(const RejectionOutcome& rejection) {
  if (!rejection.left_out) {
    reject(rejection.problem, rejection.config_id, told(rejection.reason, rejection.ranks));
    return;
  }
  ProblemState& problem = problems_[rejection.problem];
  const bool decided_before = !problem.walking() && !problem.exploring();
  if (problem.leave_out_default()) {
    reject_elsewhere(rejection.problem, 0, decided_before);
  }
}

void TuningState::reject(std::size_t index, std::size_t config_id, const Reason& reason) {
  ProblemState& problem = problems_[index];
  const bool decided_before = !problem.walking() && !problem.exploring();
  problem.reject(config_id, reason);
  reject_elsewhere(index, config_id, decided_before);
}

/// What knows the problem's configs beside its own state. `decided_before`: the problem was over its walk.
void TuningState::reject_elsewhere(std::size_t index, std::size_t config_id, bool decided_before) {
  ProblemState& problem = problems_[index];
  choice_points_.rejected(index, config_id);
  search_.reject(index, config_id);
  if (decided_before && (problem.walking() || problem.exploring())) {
    search_.interrupt();  // it walks anew
  }
  if (problem.exploring() && problem.record().choice == config_id) {
    problem.hold(choice_points_.first_tuned(index).value_or(config_id));
  }
}

/// In the order of time: what a config did before it was rejected counts.
void TuningState::reject_at(const BatchOutcome& outcome, std::size_t iteration) {
  for (const RejectionOutcome& rejection : outcome.rejections) {
    if (std::min(rejection.batch_iteration, outcome.iterations.size()) == iteration) {
      take_out(rejection);
    }
  }
}

void TuningState::observe_iterations(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome) {
  const std::size_t length = outcome.iterations.size();
  const std::size_t known = plan.empty() ? problems_.size() : plan.front().cells.size();
  if (known < problems_.size()) {
    choice_points_.joined();
    feasibility_.extend(problems_.size());
    search_.interrupt();
    walk_log_.clear();
  }
  const bool of_search = length > 0 && plan.front().phase == Phase::search;
  std::vector<SearchRunPlan> runs;
  if (of_search && searching()) {
    runs = search_.plan(plan.size());
    require(this->plan(plan.size()) == plan,
            "the plan is not the state's current one: something was observed or rejected since it was made");
  }
  for (std::size_t i = 0; i < length; ++i) {
    reject_at(outcome, i);
    walk_log_.note(outcome.iterations[i]);
    if (known == problems_.size()) {  // else what has joined ran with config 0, whatever is chosen for it
      choice_points_.note(assignment_of(plan[i]), outcome.iterations[i]);
    }
    observe_walk(plan, i, outcome.iterations[i]);
    (plan[i].phase == Phase::search ? search_iterations_ : walk_iterations_) += 1;
  }
  reject_at(outcome, length);
  if (of_search) {
    observe_search(plan, runs, outcome);
  }
  reject_dead_alternatives();
}

/// After the rejections: no run with a rejected config is a sample from its rejection on. What has failed
/// stays known, also if a rejection or a problem that joined has ended the search that planned it.
void TuningState::observe_search(const std::vector<IterationPlan>& plan,
                                 const std::vector<SearchRunPlan>& runs, const BatchOutcome& outcome) {
  std::vector<IterationOutcome> outcomes = outcome.iterations;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Assignment assignment = assignment_of(plan[i]);
    for (const RejectionOutcome& rejection : outcome.rejections) {
      if (rejection.batch_iteration <= i && assignment[rejection.problem] == rejection.config_id) {
        outcomes[i].cells[rejection.problem].disturbed = true;  // the fallback's time says nothing
      }
    }
    if (outcomes[i].infeasible.empty()) {
      continue;
    }
    const auto walked = static_cast<std::size_t>(
        std::count_if(problems_.begin(), problems_.end(), [](const ProblemState& p) { return p.walked(); }));
    const std::size_t open = walked + (exploration_.unproven(assignment) ? 1 : 0);
    if (!search_.running() || open != 1 || !search_.decides()) {
      feasibility_.failed(assignment, told(outcomes[i].infeasible));
    } else {
      condemn(assignment, outcomes[i], told(outcomes[i].infeasible));
      outcomes[i].infeasible.clear();
      outcomes[i].makespan_ns.reset();
      for (CellOutcome& cell : outcomes[i].cells) {
        cell.disturbed = true;  // what is missing is explained
      }
    }
  }
  if (!runs.empty() && search_.running()) {
    search_.observe(runs, outcomes);
  }
}

void TuningState::observe_walk(const std::vector<IterationPlan>& plan, std::size_t i,
                               const IterationOutcome& seen) {
  const IterationPlan& planned = plan[i];
  const Assignment assignment = assignment_of(planned);
  const IterationOutcome outcome = choice_points_.with_own_times(assignment, seen);
  const std::vector<std::size_t> beginning = first_runs_.beginning(assignment, outcome);
  const std::optional<std::int64_t> rest_ns = rest_of(seen);
  Reason failure = told(outcome.infeasible);
  bool retake = false;
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    const bool was_step = p < planned.cells.size() && planned.cells[p].role == Cell::Role::step;
    const ProblemState::Taken taken =
        problems_[p].observe(assignment[p], outcome.cells[p], outcome.makespan_ns, rest_ns);
    const bool no_time = taken == ProblemState::Taken::no_time;
    const bool again = no_time || taken == ProblemState::Taken::retake ||
                       (taken == ProblemState::Taken::displaced && was_step);
    retake = retake || again;
    walk_retakes_ += again ? 1 : 0;
    if (no_time && problems_[p].request().choice_point) {
      problems_[p].leave_unmeasured(assignment[p]);  // what it launches may have no times
    } else if (no_time && options_.search == SearchLevel::off) {
      problems_[p].reject(assignment[p], no_time_reason(problems_[p], assignment[p]));
    } else if (no_time && failure.empty()) {
      failure = no_time_reason(problems_[p], assignment[p]);
    }
  }
  if (planned.phase == Phase::search) {
    return;
  }
  const bool nobody_asks =
      options_.search == SearchLevel::off && !options_.feasible && !options_.one_assignment_per_batch;
  if (!failure.empty()) {
    condemn(assignment, outcome, failure);
  } else if (!options_.feasible || options_.feasible(assignment)) {  // a first run is not asked for
    if (!nobody_asks) {
      feasibility_.succeeded(assignment);
    }
    if (is_sample(plan, i) && !retake && open_ones_launched(assignment, outcome)) {
      walk_log_.add(assignment, outcome);
    }
  }
  if (failure.empty() && options_.search != SearchLevel::off) {
    first_runs_.judge(beginning, assignment, outcome);
  }
}

/// A makespan is a sample after the warm-ups of all problems. It is too long right after an exchange or a
/// change of configs, also where `n_warmup` puts no warm-up there.
bool TuningState::is_sample(const std::vector<IterationPlan>& plan, std::size_t i) const {
  const std::vector<Cell>& cells = plan[i].cells;
  if (i == 0 || cells.size() != problems_.size() ||
      std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.warmup; })) {
    return false;
  }
  const std::vector<Cell>& before = plan[i - 1].cells;
  const auto same_config = [](const Cell& a, const Cell& b) { return a.config_id == b.config_id; };
  return std::equal(cells.begin(), cells.end(), before.begin(), before.end(), same_config) ||
         assignment_of(plan[i]) == assignment_of(plan[i - 1]);
}

/// Closed problems need not be launched, and those of other alternatives are not.
bool TuningState::open_ones_launched(const Assignment& assignment, const IterationOutcome& outcome) const {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (!outcome.cells[p].launched && problems_[p].tried() && choice_points_.active(p, assignment)) {
      return false;
    }
  }
  return true;
}

/// The configs have failed together. Where only one problem is still open, its config is to blame, because it
/// has no other neighbours.
void TuningState::condemn(const Assignment& assignment, const IterationOutcome& outcome,
                          const Reason& reason) {
  std::vector<std::size_t> suspects;
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (outcome.cells[p].launched && problems_[p].tried()) {
      suspects.push_back(p);
    }
  }
  bool others_open = false;
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    others_open = others_open || (problems_[p].tried() && choice_points_.active(p, assignment));
  }
  // Where nothing else is open, also one that has succeeded beside other configs.
  const auto exploring = others_open ? exploration_.unproven(assignment) : choice_points_.exploring();
  const bool unclear = exploring && exploration_.part(*exploring);
  if (exploring && outcome.cells[*exploring].launched) {
    suspects.push_back(*exploring);
  }
  if (suspects.size() == 1 && !unclear) {
    reject(suspects.front(), assignment[suspects.front()], reason);
    return;
  }
  feasibility_.failed(assignment, reason);
  walk_log_.drop(assignment);
  for (const std::size_t p : suspects) {
    problems_[p].leave_unmeasured(assignment[p]);
  }
}

void TuningState::note_presence(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome) {
  const Phase phase = plan.empty() ? Phase::walk : plan.front().phase;
  std::vector<Assignment> assignments;
  assignments.reserve(plan.size());
  for (const IterationPlan& iteration : plan) {
    assignments.push_back(assignment_of(iteration));
  }
  for (std::size_t p = 0; p < problems_.size() && !outcome.iterations.empty(); ++p) {
    const bool was_open = problems_[p].open();
    const bool waited = problems_[p].walked();
    const bool expected =
        std::any_of(assignments.begin(), assignments.end(),
                    [&](const Assignment& assignment) { return choice_points_.active(p, assignment); });
    if (!expected) {
      continue;  // it belongs to another alternative
    }
    if (waited && phase != Phase::search) {
      continue;  // nothing is expected of it
    }
    const bool launched = std::any_of(outcome.iterations.begin(), outcome.iterations.end(),
                                      [p](const IterationOutcome& i) { return i.cells[p].launched; });
    problems_[p].note_presence(launched ? Presence::launched : Presence::absent);
    if (was_open && !problems_[p].open() && search_.running()) {
      search_.interrupt();  // it is no longer part of the region
    }
  }
}

}  // namespace contextual::policy
