#include "contextual/policy/tuning_state.hpp"

#include "contextual/policy/assignments.hpp"
#include "contextual/policy/options_check.hpp"
#include "contextual/policy/outcome_check.hpp"
#include "contextual/policy/tuning_machine.hpp"
#include "contextual/policy/walk_plan.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace contextual::policy {

TuningState::TuningState(PolicyOptions options) {
  check_options(options);
  impl_ = std::make_unique<Impl>(std::move(options));
}
TuningState::~TuningState() = default;
TuningState::TuningState(TuningState&&) noexcept = default;
TuningState& TuningState::operator=(TuningState&&) noexcept = default;

std::size_t TuningState::add_problem(const ProblemRequest& request) {
  require(!request.under || (request.under->choice_point < impl_->problems.size() &&
                             impl_->problems[request.under->choice_point].request().choice_point),
          "a problem that an alternative launches joins after its choice point");
  impl_->problems.emplace_back(request, impl_->options);
  impl_->options.one_assignment_per_batch = impl_->options.one_assignment_per_batch || request.has_verify;
  return impl_->problems.size() - 1;
}

bool TuningState::done() const {
  return (impl_->begun || !impl_->problems.empty()) && !impl_->open();
}

std::size_t TuningState::suggested_length() const {
  const Impl& impl = *impl_;
  const auto left =
      static_cast<std::size_t>(std::max<std::int64_t>(1, impl.options.max_iterations - iterations()));
  std::size_t length = 1;
  if (impl.any_walking()) {
    length = impl.walk_batch_length(left);
  } else if (impl.searching()) {
    length = impl.search.plan(left).size();
  }
  return std::min(length, left);
}

std::vector<IterationPlan> TuningState::plan(std::size_t length) const {
  return impl_->plan(length);
}

Assignment TuningState::assignment_of(const IterationPlan& planned) const {
  return impl_->assignment_of(planned);
}

BatchOutcome TuningState::infeasible_outcome(const IterationPlan& planned, const std::string& words) const {
  const Assignment assignment = impl_->assignment_of(planned);
  IterationOutcome iteration;
  for (std::size_t p = 0; p < impl_->problems.size(); ++p) {
    CellOutcome cell;
    cell.launched = impl_->choice_points.active(p, assignment);
    cell.disturbed = true;  // what is missing is explained
    cell.overlaps = false;
    iteration.cells.push_back(cell);
  }
  iteration.infeasible = words;
  BatchOutcome outcome;
  outcome.iterations.push_back(std::move(iteration));
  return outcome;
}

bool TuningState::comparing() const {
  return impl_->search.comparing();
}

void TuningState::reject(const std::vector<RejectionOutcome>& rejections) {
  check_rejections(rejections, impl_->problems);
  for (const RejectionOutcome& rejection : rejections) {
    impl_->reject(rejection);
  }
  impl_->advance();
}

void TuningState::observe(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome) {
  Impl& impl = *impl_;
  check_outcome(plan, outcome, impl.problems);
  impl.observe_iterations(plan, outcome);
  impl.note_presence(plan, outcome);
  impl.begun = impl.begun || !outcome.iterations.empty();
  const std::chrono::nanoseconds limit = impl.options.search_time;
  if (limit.count() > 0 && outcome.elapsed_ns >= limit.count()) {
    impl.cut = Why::time_over;
  }
  if (iterations() >= impl.options.max_iterations && impl.open()) {
    impl.hit_cap = true;
    impl.cut = Reason({.why = Why::iteration_cap, .count = impl.options.max_iterations});
    impl.advance();
  }
  if (iterations() >= impl.options.max_iterations && impl.open()) {
    close_open_problems(Reason({.why = Why::open_at_iteration_cap, .count = impl.options.max_iterations}));
  }
  impl.advance();
}

void TuningState::close_open_problems(const Reason& reason) {
  impl_->search.interrupt();
  while (const std::optional<std::size_t> exploring = impl_->choice_points.exploring()) {
    impl_->exploration.close(*exploring, reason);
  }
  for (ProblemState& problem : impl_->problems) {
    problem.close(reason);
  }
}

bool TuningState::reject_choice(std::size_t problem, std::size_t config_id, const std::string& words) {
  return reject_choice({problem, config_id, 0, words});
}

bool TuningState::reject_choice(const RejectionOutcome& rejection) {
  check_rejections({rejection}, impl_->problems);
  ProblemState& state = impl_->closed_problem(rejection.problem);
  const std::size_t before = state.record().choice;
  if (rejection.left_out) {
    state.leave_out_in_final_run(rejection.reason);
  } else {
    state.reject_in_final_run(rejection);
  }
  const bool replaced = state.record().status != ProblemStatus::failed && state.record().choice != before;
  if (replaced) {
    impl_->search.note_replaced();
  }
  return replaced;
}

bool TuningState::reject_choices(const std::string& words, Replacement replacement) {
  const Reason reason = told(words);
  Impl& impl = *impl_;
  require(!impl.open(), "the final run has no say while a tuning problem is still open");
  const Assignment chosen = impl.choice_points.normal(choices(impl.problems));
  impl.feasibility.failed(chosen, reason);
  const bool replaced =
      (replacement == Replacement::next_best && impl.replacement.by_next_best(chosen, reason)) ||
      impl.replacement.by_first_run(chosen, reason);
  if (replaced) {
    impl.search.note_replaced();
  }
  return replaced;
}

void TuningState::make_provisional(std::size_t problem, const std::string& words) {
  impl_->closed_problem(problem).make_provisional(told(words));
}

std::size_t TuningState::problem_count() const {
  return impl_->problems.size();
}

const ProblemRecord& TuningState::problem(std::size_t index) const {
  return impl_->problems.at(index).record();
}

const std::vector<SearchRecord>& TuningState::searches() const {
  return impl_->search.records();
}

FarShare TuningState::stalls() const {
  return impl_->search.stalls();
}

const Reason& TuningState::failure() const {
  return impl_->search.failure();
}

std::optional<std::size_t> TuningState::failed_problem() const {
  for (std::size_t p = 0; p < impl_->problems.size(); ++p) {
    if (problem(p).status == ProblemStatus::failed && !impl_->choice_points.out_of_use(p)) {
      return p;
    }
  }
  return std::nullopt;
}

bool TuningState::out_of_use(std::size_t index) const {
  return impl_->choice_points.out_of_use(index);
}

std::map<Assignment, Reason> TuningState::infeasible() const {
  return impl_->feasibility.known_infeasible();
}

std::int64_t TuningState::iterations() const {
  return impl_->iterations();
}

std::int64_t TuningState::walk_iterations() const {
  return impl_->walk_iterations;
}

std::int64_t TuningState::search_iterations() const {
  return impl_->search_iterations;
}

std::int64_t TuningState::retakes() const {
  return impl_->walk_retakes + impl_->search.retakes();
}

std::int64_t TuningState::most_remaining_iterations() const {
  const Impl& impl = *impl_;
  if (done()) {
    return 0;
  }
  std::size_t steps = 0;
  for (const ProblemState& problem : impl.problems) {
    steps = std::max(steps, problem.remaining_steps());
  }
  const auto walk = static_cast<std::int64_t>(steps);
  const std::size_t searches =
      1 + impl.choice_points.searches_left() + (impl.choice_points.exploring() ? 1 : 0);
  const std::int64_t left = std::max<std::int64_t>(0, impl.options.max_iterations - iterations());
  return std::min(walk + impl.search.most_runs(impl.problems, iterations() + walk, searches), left);
}

bool TuningState::hit_iteration_cap() const {
  return impl_->hit_cap;
}

std::optional<std::size_t> TuningState::best_so_far(std::size_t problem) const {
  return impl_->problems.at(problem).best_so_far();
}

}  // namespace contextual::policy
