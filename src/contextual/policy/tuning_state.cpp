#include "contextual/policy/tuning_state.hpp"

#include "contextual/policy/options_check.hpp"

#include <algorithm>
#include <utility>

namespace contextual::policy {

TuningState::TuningState(PolicyOptions options)
    : options_(std::move(options)),
      choice_points_(problems_),
      feasibility_(&choice_points_, &options_),
      first_runs_(problems_, choice_points_),
      exploration_(options_, problems_, choice_points_, feasibility_),
      search_({options_, problems_, walk_log_, choice_points_, feasibility_}) {
  check_options(options_);
}

std::size_t TuningState::add_problem(const ProblemRequest& request) {
  require(!request.under || (request.under->choice_point < problems_.size() &&
                             problems_[request.under->choice_point].request().choice_point),
          "a problem that an alternative launches joins after its choice point");
  problems_.emplace_back(request, options_);
  options_.one_assignment_per_batch = options_.one_assignment_per_batch || request.has_verify;
  return problems_.size() - 1;
}

bool TuningState::open() const {
  return std::any_of(problems_.begin(), problems_.end(), [](const ProblemState& p) { return p.open(); });
}

/// The problems' configs in an iteration; those that have joined since the plan use config 0.
Assignment TuningState::assignment_of(const IterationPlan& planned) const {
  Assignment assignment(problems_.size(), 0);
  for (std::size_t p = 0; p < planned.cells.size(); ++p) {
    assignment[p] = planned.cells[p].config_id;
  }
  return choice_points_.normal(std::move(assignment));
}

/// Without those of an alternative that is not held: they go on when it is.
std::vector<std::size_t> TuningState::walking() const {
  std::vector<std::size_t> walking;
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (problems_[p].walking() && choice_points_.active_now(p)) {
      walking.push_back(p);
    }
  }
  return walking;
}

std::size_t TuningState::suggested_length() const {
  const auto left =
      static_cast<std::size_t>(std::max<std::int64_t>(1, options_.max_iterations - iterations()));
  std::size_t length = 1;
  if (!walking().empty()) {
    length = walk_batch_length(left);
  } else if (searching()) {
    length = search_.plan(left).size();
  }
  return std::min(length, left);
}

std::vector<IterationPlan> TuningState::plan(std::size_t length) const {
  std::vector<IterationPlan> batch(length);
  const std::vector<SearchRunPlan> runs = searching() ? search_.plan(length) : std::vector<SearchRunPlan>{};
  const Assignment best = choice_points_.choices();
  for (std::size_t i = 0; i < length; ++i) {
    batch[i].cells.reserve(best.size());
    for (const std::size_t config_id : best) {
      batch[i].cells.push_back({Cell::Role::best, config_id, 0, false});
    }
    if (searching()) {
      batch[i].phase = Phase::search;
    } else if ((begun_ || !problems_.empty()) && !open()) {
      batch[i].phase = Phase::final_run;
    }
    for (std::size_t p = 0; i < runs.size() && p < problems_.size(); ++p) {
      const bool compared = runs[i].assignment[p] != best[p] && choice_points_.active(p, runs[i].assignment);
      if (problems_[p].walked() || compared) {
        const Cell::Role role = runs[i].run == 0 ? Cell::Role::lead_in : Cell::Role::candidate;
        batch[i].cells[p] = {role, runs[i].assignment[p], runs[i].run, runs[i].run == 0};
      }
    }
  }
  for (const std::size_t p : walking()) {
    const std::vector<Step> steps = problems_[p].plan(length);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      batch[i].cells[p] = {Cell::Role::step, steps[i].config_id, steps[i].iteration, steps[i].warmup};
    }
  }
  return batch;
}

/// The batch ends with the next change of config of the first of the problems that walk, with the end of any
/// walk, or after `longest` iterations, whichever comes first.
std::size_t TuningState::walk_length(const std::vector<std::size_t>& walking, std::size_t longest) const {
  const auto config_length = static_cast<std::size_t>(std::int64_t{options_.n_warmup} + options_.n_repeat);
  const std::vector<Step> steps = problems_[walking.front()].plan(std::min(longest, config_length));
  const auto change = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
    return step.config_id != steps.front().config_id;
  });
  auto length = static_cast<std::size_t>(change - steps.begin());
  for (const std::size_t p : walking) {
    length = std::min(length, problems_[p].plan(length).size());
  }
  return length;
}

/// The first run of an assignment in the walk is a batch of its own, so that an infeasible one costs one run.
/// What is ruled out later in the batch is left out before the next one.
std::size_t TuningState::walk_batch_length(std::size_t longest) const {
  const std::vector<IterationPlan> batch = plan(std::max<std::size_t>(1, walk_length(walking(), longest)));
  const bool searches = options_.search != SearchLevel::off;
  const Assignment first = assignment_of(batch.front());
  if ((searches && !feasibility_.proven(first)) || first_runs_.suspects()) {
    return 1;
  }
  const auto end = std::find_if(batch.begin(), batch.end(), [&](const IterationPlan& iteration) {
    const Assignment assignment = assignment_of(iteration);
    return assignment != first &&
           (options_.one_assignment_per_batch || (searches && !feasibility_.proven(assignment)) ||
            (options_.feasible && !options_.feasible(assignment)));
  });
  return static_cast<std::size_t>(end - batch.begin());
}

BatchOutcome TuningState::infeasible_outcome(const IterationPlan& planned, const std::string& words) const {
  const Assignment assignment = assignment_of(planned);
  IterationOutcome iteration;
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    CellOutcome cell;
    cell.launched = choice_points_.active(p, assignment);
    cell.disturbed = true;  // what is missing is explained
    cell.overlaps = false;
    iteration.cells.push_back(cell);
  }
  iteration.infeasible = words;
  BatchOutcome outcome;
  outcome.iterations.push_back(std::move(iteration));
  return outcome;
}

void TuningState::close_open_problems(const Reason& reason) {
  search_.interrupt();
  while (const std::optional<std::size_t> exploring = choice_points_.exploring()) {
    exploration_.close(*exploring, reason);
  }
  for (ProblemState& problem : problems_) {
    problem.close(reason);
  }
}

/// For what only the final run does to a problem.
ProblemState& TuningState::closed_problem(std::size_t index) {
  ProblemState& problem = problems_.at(index);
  require(!problem.open(), "the final run has no say about a tuning problem that is still open: problem " +
                               std::to_string(index));
  return problem;
}

bool TuningState::reject_choice(const RejectionOutcome& rejection) {
  check({rejection});
  ProblemState& state = closed_problem(rejection.problem);
  const std::size_t before = state.record().choice;
  if (rejection.left_out) {
    state.leave_out_in_final_run(rejection.reason);
  } else {
    state.reject_in_final_run(rejection);
  }
  const bool replaced = state.record().status != ProblemStatus::failed && state.record().choice != before;
  if (replaced) {
    search_.note_replaced();
  }
  return replaced;
}

bool TuningState::reject_choices(const std::string& words, Replacement replacement) {
  const Reason reason = told(words);
  require(!open(), "the final run has no say while a tuning problem is still open");
  const Assignment chosen = choice_points_.normal(choice_points_.choices());
  feasibility_.failed(chosen, reason);
  const bool replaced = (replacement == Replacement::next_best && replace_by_next_best(chosen, reason)) ||
                        replace_by_first_run(chosen, reason);
  if (replaced) {
    search_.note_replaced();
  }
  return replaced;
}

void TuningState::make_provisional(std::size_t problem, const std::string& words) {
  closed_problem(problem).make_provisional(told(words));
}

std::optional<std::size_t> TuningState::failed_problem() const {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (problem(p).status == ProblemStatus::failed && !choice_points_.out_of_use(p)) {
      return p;
    }
  }
  return std::nullopt;
}

std::int64_t TuningState::most_remaining_iterations() const {
  if (done()) {
    return 0;
  }
  std::size_t steps = 0;
  for (const ProblemState& problem : problems_) {
    steps = std::max(steps, problem.remaining_steps());
  }
  const auto walk = static_cast<std::int64_t>(steps);
  const std::size_t searches = 1 + choice_points_.searches_left() + (choice_points_.exploring() ? 1 : 0);
  const std::int64_t left = std::max<std::int64_t>(0, options_.max_iterations - iterations());
  return std::min(walk + search_.most_runs(iterations() + walk, searches), left);
}

}  // namespace contextual::policy
