#include "contextual/policy/tuning_state.hpp"

#include "contextual/policy/finals.hpp"
#include "contextual/policy/options_check.hpp"
#include "contextual/policy/outcome_check.hpp"
#include "contextual/policy/problem_state.hpp"
#include "contextual/policy/walk_plan.hpp"

#include <algorithm>
#include <utility>

namespace contextual::policy {

struct TuningState::Impl {
  explicit Impl(PolicyOptions o) : options(std::move(o)), finals(options) {}

  bool any_walking() const;
  bool open() const;
  ProblemState& closed_problem(std::size_t index);
  std::vector<IterationPlan> plan(std::size_t length) const;
  std::vector<ContestRun::Trial> trials_of(const std::vector<IterationPlan>& plan, std::size_t length) const;
  void observe_iterations(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome);
  void reject(const RejectionOutcome& rejection);
  void reject_at(const BatchOutcome& outcome, std::size_t iteration);
  void observe_walk(const IterationPlan& planned, const IterationOutcome& outcome);
  void note_presence(const BatchOutcome& outcome);
  void advance();

  const PolicyOptions options;
  std::vector<ProblemState> problems;
  Finals finals;
  bool held = false;     ///< the finals wait
  bool begun = false;    ///< a batch has been observed
  bool hit_cap = false;  ///< of the iterations
  std::int64_t walk_iterations = 0;
  std::int64_t search_iterations = 0;
  std::int64_t walk_retakes = 0;  ///< steps that had to be taken again
};

bool TuningState::Impl::any_walking() const {
  return std::any_of(problems.begin(), problems.end(), [](const ProblemState& p) { return p.walking(); });
}

bool TuningState::Impl::open() const {
  return std::any_of(problems.begin(), problems.end(),
                     [](const ProblemState& p) { return p.walking() || p.walked(); });
}

/// For what only the final run does to a problem.
ProblemState& TuningState::Impl::closed_problem(std::size_t index) {
  ProblemState& problem = problems.at(index);
  require(
      !problem.walking() && !problem.walked(),
      "the final run has no say about a tuning problem that is still open: problem " + std::to_string(index));
  return problem;
}

std::vector<IterationPlan> TuningState::Impl::plan(std::size_t length) const {
  std::vector<IterationPlan> batch(length);
  const bool finals_turn = !held && !any_walking();
  const std::vector<ContestRun::Trial> trials =
      finals_turn ? finals.plan(length) : std::vector<ContestRun::Trial>{};
  for (std::size_t i = 0; i < length; ++i) {
    for (const ProblemState& problem : problems) {
      batch[i].cells.push_back({Cell::Role::best, problem.record().choice, 0, false});
    }
    if (finals_turn && finals.running()) {
      batch[i].phase = Phase::search;
    } else if ((begun || !problems.empty()) && !open()) {
      batch[i].phase = Phase::final_run;
    }
    for (std::size_t p = 0; i < trials.size() && p < problems.size(); ++p) {
      if (const std::optional<Cell> cell = finals.cell(trials[i], p, problems[p])) {
        batch[i].cells[p] = *cell;
      }
    }
  }
  plan_walks(problems, batch);
  return batch;
}

void TuningState::Impl::reject(const RejectionOutcome& rejection) {
  ProblemState& problem = problems[rejection.problem];
  const bool walked_before = problem.walking();
  problem.reject(rejection.config_id, rejection.reason);
  finals.reject(rejection.problem, rejection.config_id);
  if (!walked_before && problem.walking()) {
    finals.interrupt(rejection.problem);  // it walks anew
  }
}

/// In the order of time: what a config did before it was rejected counts.
void TuningState::Impl::reject_at(const BatchOutcome& outcome, std::size_t iteration) {
  for (const RejectionOutcome& rejection : outcome.rejections) {
    if (std::min(rejection.batch_iteration, outcome.iterations.size()) == iteration) {
      reject(rejection);
    }
  }
}

/// The trials of the open contest that the plan's first `length` iterations carried out.
std::vector<ContestRun::Trial> TuningState::Impl::trials_of(const std::vector<IterationPlan>& plan,
                                                            std::size_t length) const {
  const bool of_contest = length > 0 && plan.front().phase == Phase::search;
  std::vector<ContestRun::Trial> trials = of_contest ? finals.plan(length) : std::vector<ContestRun::Trial>{};
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (std::size_t p = 0; p < plan[i].cells.size(); ++p) {
      const std::optional<Cell> cell = finals.cell(trials[i], p, problems[p]);
      require(
          !cell || *cell == plan[i].cells[p],
          "the plan is not the state's current one: something was observed or rejected since it was made");
    }
  }
  return trials;
}

void TuningState::Impl::observe_iterations(const std::vector<IterationPlan>& plan,
                                           const BatchOutcome& outcome) {
  const std::size_t length = outcome.iterations.size();
  const std::size_t known = plan.empty() ? problems.size() : plan.front().cells.size();
  if (known < problems.size()) {
    finals.interrupt(known);
  }
  const std::vector<ContestRun::Trial> trials = trials_of(plan, length);
  for (std::size_t i = 0; i < length; ++i) {
    reject_at(outcome, i);
    observe_walk(plan[i], outcome.iterations[i]);
    if (i < trials.size()) {
      finals.observe(trials[i], outcome.iterations[i]);
    }
    (plan[i].phase == Phase::search ? search_iterations : walk_iterations) += 1;
  }
  reject_at(outcome, length);
}

void TuningState::Impl::observe_walk(const IterationPlan& planned, const IterationOutcome& outcome) {
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const bool joined = p >= planned.cells.size();
    const std::size_t config_id = joined ? 0 : planned.cells[p].config_id;
    const bool was_step = !joined && planned.cells[p].role == Cell::Role::step;
    const ProblemState::Taken taken = problems[p].observe(config_id, outcome.cells[p], outcome.makespan_ns);
    const bool again =
        taken == ProblemState::Taken::retake || (taken == ProblemState::Taken::displaced && was_step);
    walk_retakes += again ? 1 : 0;
  }
}

void TuningState::Impl::note_presence(const BatchOutcome& outcome) {
  for (std::size_t p = 0; p < problems.size() && !outcome.iterations.empty(); ++p) {
    problems[p].note_presence(std::any_of(outcome.iterations.begin(), outcome.iterations.end(),
                                          [p](const IterationOutcome& i) { return i.cells[p].launched; }));
  }
}

/// The finals begin, and go on, when no problem walks.
void TuningState::Impl::advance() {
  if (!held && !any_walking()) {
    finals.advance(problems);
  }
}

TuningState::TuningState(PolicyOptions options) {
  check_options(options);
  impl_ = std::make_unique<Impl>(std::move(options));
}
TuningState::~TuningState() = default;
TuningState::TuningState(TuningState&&) noexcept = default;
TuningState& TuningState::operator=(TuningState&&) noexcept = default;

std::size_t TuningState::add_problem(const ProblemRequest& request) {
  impl_->problems.emplace_back(request, impl_->options);
  return impl_->problems.size() - 1;
}

bool TuningState::done() const {
  return (impl_->begun || !impl_->problems.empty()) && !impl_->open();
}

void TuningState::hold_finals(bool held) {
  impl_->held = held;
  impl_->advance();
}

std::size_t TuningState::suggested_length() const {
  const Impl& impl = *impl_;
  const auto settle_every = static_cast<std::size_t>(impl.options.settle_every);
  const auto left =
      static_cast<std::size_t>(std::max<std::int64_t>(1, impl.options.max_iterations - iterations()));
  std::size_t length = 1;
  if (impl.any_walking()) {
    length = walk_length(impl.problems, impl.options, left);
  } else if (!impl.held && impl.finals.running()) {
    length = impl.finals.remaining();
    length = settle_every > 0 ? std::min(length, settle_every) : length;
  } else if (!impl.problems.empty()) {
    length = settle_every > 0 ? settle_every : config_length(impl.options);
  }
  return std::clamp<std::size_t>(length, 1, left);
}

std::vector<IterationPlan> TuningState::plan(std::size_t length) const {
  return impl_->plan(length);
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
  impl.note_presence(outcome);
  impl.begun = impl.begun || !outcome.iterations.empty();
  if (iterations() >= impl.options.max_iterations && impl.open()) {
    impl.advance();
  }
  if (iterations() >= impl.options.max_iterations && impl.open()) {
    impl.hit_cap = true;
    close_open_problems("iteration cap of " + std::to_string(impl.options.max_iterations) +
                        " reached; if a key changes in every run, make it coarser");
  }
  impl.advance();
}

void TuningState::close_open_problems(const std::string& reason) {
  impl_->finals.close(reason);
  for (ProblemState& problem : impl_->problems) {
    problem.close(reason);
  }
}

bool TuningState::reject_choice(std::size_t problem, std::size_t config_id, const std::string& reason) {
  check_rejections({{problem, config_id, 0, reason}}, impl_->problems);
  ProblemState& state = impl_->closed_problem(problem);
  const std::size_t before = state.record().choice;
  state.reject_in_final_run(config_id, reason);
  return state.record().status != ProblemStatus::failed && state.record().choice != before;
}

void TuningState::make_provisional(std::size_t problem, const std::string& reason) {
  impl_->closed_problem(problem).make_provisional(reason);
}

std::size_t TuningState::problem_count() const {
  return impl_->problems.size();
}

const ProblemRecord& TuningState::problem(std::size_t index) const {
  return impl_->problems.at(index).record();
}

const std::vector<Contest>& TuningState::contests() const {
  return impl_->finals.contests();
}

std::int64_t TuningState::iterations() const {
  return impl_->walk_iterations + impl_->search_iterations;
}

std::int64_t TuningState::walk_iterations() const {
  return impl_->walk_iterations;
}

std::int64_t TuningState::search_iterations() const {
  return impl_->search_iterations;
}

std::int64_t TuningState::retakes() const {
  return impl_->walk_retakes + impl_->finals.retakes();
}

std::int64_t TuningState::expected_remaining_iterations() const {
  const Impl& impl = *impl_;
  if (done()) {
    return 0;
  }
  std::size_t steps = 0;
  for (const ProblemState& problem : impl.problems) {
    steps = std::max(steps, problem.remaining_steps());
  }
  if (impl.options.finals) {
    steps += impl.finals.remaining() + impl.finals.expected_afterwards(impl.problems);
  }
  const std::int64_t left = std::max<std::int64_t>(0, impl.options.max_iterations - iterations());
  return std::min(static_cast<std::int64_t>(steps), left);
}

bool TuningState::hit_iteration_cap() const {
  return impl_->hit_cap;
}

std::optional<std::size_t> TuningState::best_so_far(std::size_t problem) const {
  return impl_->problems.at(problem).best_so_far();
}

}  // namespace contextual::policy
