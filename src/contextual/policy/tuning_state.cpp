#include "contextual/policy/tuning_state.hpp"

#include "contextual/policy/finals.hpp"
#include "contextual/policy/options_check.hpp"
#include "contextual/policy/problem_state.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <utility>

namespace contextual::policy {

struct TuningState::Impl {
  explicit Impl(PolicyOptions o) : options(std::move(o)), finals(options) {}

  bool any_walking() const;
  bool open() const;
  std::size_t walk_length() const;
  std::vector<IterationPlan> plan(std::size_t length) const;
  void plan_walk(const ProblemState& problem, std::size_t index, std::vector<IterationPlan>& batch) const;
  void check_outcome(const BatchOutcome& outcome, std::size_t planned) const;
  void reject_at(const BatchOutcome& outcome, std::size_t iteration);
  void observe_walk(const IterationPlan& planned, const IterationOutcome& outcome);
  void note_presence(const BatchOutcome& outcome);
  void count(Phase phase);
  void advance();

  const PolicyOptions options;
  std::vector<ProblemState> problems;
  Finals finals;
  bool held = false;
  bool begun = false;  ///< a batch has been observed
  bool hit_cap = false;
  std::int64_t walk_iterations = 0;
  std::int64_t finals_iterations = 0;
  std::int64_t walk_retakes = 0;
  /// What the launches of the batch used. Kept, since problems that join before it is observed would plan
  /// another one.
  std::optional<std::vector<IterationPlan>> last_plan;
};

bool TuningState::Impl::any_walking() const {
  return std::any_of(problems.begin(), problems.end(), [](const ProblemState& p) { return p.walking(); });
}

bool TuningState::Impl::open() const {
  return std::any_of(problems.begin(), problems.end(),
                     [](const ProblemState& p) { return p.walking() || p.walked(); });
}

/// Up to the next change of config of the first walking problem, and within every walk.
std::size_t TuningState::Impl::walk_length() const {
  const auto whole_config =
      static_cast<std::size_t>(options.n_warmup) + static_cast<std::size_t>(options.n_repeat);
  auto length = static_cast<std::size_t>(options.settle_every);
  for (const ProblemState& problem : problems) {
    if (!problem.walking()) {
      continue;
    }
    if (length == 0) {
      const std::vector<Step> steps = problem.plan(whole_config);
      const auto change = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
        return step.config_id != steps.front().config_id;
      });
      length = static_cast<std::size_t>(change - steps.begin());
    }
    length = std::min(length, problem.plan(length).size());
  }
  return length;
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
      batch[i].phase = Phase::finals;
    } else if ((begun || !problems.empty()) && !open()) {
      batch[i].phase = Phase::final_run;
    }
    for (std::size_t p = 0; i < trials.size() && p < problems.size(); ++p) {
      if (const std::optional<Cell> cell = finals.cell(trials[i], p, problems[p])) {
        batch[i].cells[p] = *cell;
      }
    }
  }
  for (std::size_t p = 0; p < problems.size(); ++p) {
    plan_walk(problems[p], p, batch);
  }
  return batch;
}

void TuningState::Impl::plan_walk(const ProblemState& problem, std::size_t index,
                                  std::vector<IterationPlan>& batch) const {
  const std::vector<Step> steps = problem.plan(batch.size());
  for (std::size_t i = 0; i < steps.size() && i < batch.size(); ++i) {
    batch[i].cells[index] = {Cell::Role::step, steps[i].config_id, steps[i].iteration, steps[i].warmup};
  }
}

void TuningState::Impl::check_outcome(const BatchOutcome& outcome, std::size_t planned) const {
  require(outcome.iterations.size() <= planned, "outcome of " + std::to_string(outcome.iterations.size()) +
                                                    " tuning iterations for a batch of " +
                                                    std::to_string(planned));
  for (const IterationOutcome& iteration : outcome.iterations) {
    require(iteration.cells.size() == problems.size(),
            "outcome with " + std::to_string(iteration.cells.size()) + " cells for " +
                std::to_string(problems.size()) + " tuning problems");
  }
  for (const RejectionOutcome& rejection : outcome.rejections) {
    require(rejection.problem < problems.size() &&
                rejection.config_id < problems[rejection.problem].record().configs.size(),
            "rejection of a tuning problem or config that does not exist: problem " +
                std::to_string(rejection.problem) + ", config " + std::to_string(rejection.config_id));
  }
}

/// In the order of time: what a config did before it was rejected counts.
void TuningState::Impl::reject_at(const BatchOutcome& outcome, std::size_t iteration) {
  for (const RejectionOutcome& rejection : outcome.rejections) {
    if (std::min(rejection.batch_iteration, outcome.iterations.size()) == iteration) {
      problems[rejection.problem].reject(rejection.config_id, rejection.reason);
      finals.reject(rejection.problem, rejection.config_id);
    }
  }
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

void TuningState::Impl::count(Phase phase) {
  (phase == Phase::finals ? finals_iterations : walk_iterations) += 1;
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
  std::size_t length = 1;
  if (impl.any_walking()) {
    length = impl.walk_length();
  } else if (!impl.held && impl.finals.running()) {
    length = impl.finals.remaining();
    length = settle_every > 0 ? std::min(length, settle_every) : length;
  } else if (!impl.problems.empty()) {
    length = settle_every > 0 ? settle_every
                              : static_cast<std::size_t>(impl.options.n_warmup + impl.options.n_repeat);
  }
  const std::int64_t left = std::max<std::int64_t>(1, impl.options.max_iterations - iterations());
  return std::clamp<std::size_t>(length, 1, static_cast<std::size_t>(left));
}

std::vector<IterationPlan> TuningState::plan(std::size_t length) const {
  impl_->last_plan = impl_->plan(length);
  return *impl_->last_plan;
}

void TuningState::observe(const BatchOutcome& outcome) {
  Impl& impl = *impl_;
  const std::size_t length = outcome.iterations.size();
  const std::vector<IterationPlan> planned = impl.last_plan ? *impl.last_plan : impl.plan(length);
  impl.check_outcome(outcome, planned.size());
  impl.last_plan.reset();

  const std::size_t known = planned.empty() ? impl.problems.size() : planned.front().cells.size();
  const bool finals_batch = !planned.empty() && planned.front().phase == Phase::finals;
  if (known < impl.problems.size()) {
    impl.finals.interrupt(known);
  }
  const std::vector<ContestRun::Trial> trials = impl.finals.plan(finals_batch ? length : 0);
  for (std::size_t i = 0; i < length; ++i) {
    impl.reject_at(outcome, i);
    impl.observe_walk(planned[i], outcome.iterations[i]);
    if (i < trials.size()) {
      impl.finals.observe(trials[i], outcome.iterations[i]);
    }
    impl.count(planned[i].phase);
  }
  impl.reject_at(outcome, length);
  impl.note_presence(outcome);
  impl.begun = impl.begun || length > 0;
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
  return impl_->walk_iterations + impl_->finals_iterations;
}

std::int64_t TuningState::walk_iterations() const {
  return impl_->walk_iterations;
}

std::int64_t TuningState::finals_iterations() const {
  return impl_->finals_iterations;
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
