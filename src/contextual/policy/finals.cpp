#include "contextual/policy/finals.hpp"

#include "contextual/policy/assignments.hpp"
#include "contextual/policy/text.hpp"

#include <algorithm>

namespace contextual::policy {
void Finals::advance(std::vector<ProblemState>& problems) {
  if (run_ && run_->remaining() > 0) {
    return;
  }
  contested_at_.resize(problems.size(), 0);
  changed_at_.resize(problems.size(), 0);
  if (run_) {
    conclude(problems);
  }
  if (run_) {
    return;  // a rematch
  }
  const bool any =
      std::any_of(problems.begin(), problems.end(), [](const ProblemState& p) { return p.walked(); });
  while (any && !open(problems)) {
    step_on(problems.size());
    if (stage_ == Stage::over) {
      stage_ = Stage::begin;
      for (ProblemState& problem : problems) {
        problem.lock_in();
      }
      return;
    }
  }
}

bool Finals::open(const std::vector<ProblemState>& problems) {
  switch (stage_) {
    case Stage::sets:
      return open_sets(problems);
    case Stage::passes:
      return open_problem(problems);
    case Stage::verdict:
      return open_verdict(problems);
    default:
      return false;
  }
}

bool Finals::open_sets(const std::vector<ProblemState>& problems) {
  std::vector<ContestRun::Entry> entries;
  const Assignment standard = defaults(problems);
  entries.push_back({0, "the walk's choices", choices(problems), choices(problems) == standard});
  add_distinct(entries, {1, "all defaults", standard, true});
  add_distinct(entries, {2, "every problem's best by makespan", best_by_makespan(problems), false});
  return start(Contest::Kind::sets, std::move(entries));
}

bool Finals::open_problem(const std::vector<ProblemState>& problems) {
  if (problem_ >= problems.size() || !problems[problem_].walked() || !context_changed(problem_)) {
    return false;
  }
  std::vector<ContestRun::Entry> entries;
  for (const std::size_t config : candidates(problems[problem_])) {
    Assignment assignment = choices(problems);
    assignment[problem_] = config;
    add_distinct(entries, {config, config_name(config), std::move(assignment), config == 0});
  }
  return start(Contest::Kind::problem, std::move(entries));
}

bool Finals::open_verdict(const std::vector<ProblemState>& problems) {
  std::vector<ContestRun::Entry> entries;
  entries.push_back({1, "the chosen set", choices(problems), false});
  add_distinct(entries, {0, "all defaults", defaults(problems), true});
  return start(Contest::Kind::verdict, std::move(entries));
}

bool Finals::start(Contest::Kind kind, std::vector<ContestRun::Entry> entries) {
  if (entries.size() < 2) {
    return false;
  }
  Contest contest;
  contest.kind = kind;
  if (kind == Contest::Kind::problem) {
    contest.problem = problem_;
    contest.pass = pass_;
  }
  run_.emplace(std::move(contest), std::move(entries),
               ContestRun::Limits{.rounds = options_->finals_repeat, .tie_slack = tie_slack_}, *options_);
  return true;
}

/// Between those that were too close, of a contest that decided nothing.
void Finals::start_rematch(const ContestRun::Result& result) {
  std::vector<ContestRun::Entry> entries;
  for (const std::size_t entry : result.close) {
    entries.push_back(run_->entries()[entry]);
  }
  Contest contest;
  contest.kind = result.contest.kind;
  contest.problem = result.contest.problem;
  contest.pass = result.contest.pass;
  run_.emplace(
      std::move(contest), std::move(entries),
      ContestRun::Limits{.rounds = 2 * options_->finals_repeat, .tie_slack = tie_slack_, .last = true},
      *options_);
}

/// The incumbent first, then the default, the best by own time and the best by makespan; may repeat.
std::vector<std::size_t> Finals::candidates(const ProblemState& problem) const {
  std::vector<std::size_t> configs{problem.record().choice};
  if (problem.viable(0)) {
    configs.push_back(0);
  }
  const auto count = static_cast<std::size_t>(options_->finals_candidates);
  const std::vector<std::size_t> by_time = problem.best_by_time(count);
  const std::vector<std::size_t> by_makespan = problem.best_by_makespan(count);
  configs.insert(configs.end(), by_time.begin(), by_time.end());
  configs.insert(configs.end(), by_makespan.begin(), by_makespan.end());
  return configs;
}

/// A contest whose surroundings are those of the problem's last one would ask the same question again.
bool Finals::context_changed(std::size_t problem) const {
  if (contested_at_[problem] == 0) {
    return true;
  }
  for (std::size_t other = 0; other < changed_at_.size(); ++other) {
    if (other != problem && changed_at_[other] > contested_at_[problem]) {
      return true;
    }
  }
  return false;
}

void Finals::step_on(std::size_t problem_count) {
  switch (stage_) {
    case Stage::begin:
      stage_ = Stage::sets;
      break;
    case Stage::sets:
      stage_ = options_->finals_passes > 0 ? Stage::passes : Stage::verdict;
      pass_ = 0;
      problem_ = 0;
      pass_changed_ = false;
      break;
    case Stage::passes:
      step_pass(problem_count);
      break;
    default:
      stage_ = Stage::over;
  }
}

void Finals::step_pass(std::size_t problem_count) {
  if (++problem_ < problem_count) {
    return;
  }
  if (!pass_changed_ || pass_ + 1 >= options_->finals_passes) {
    stage_ = Stage::verdict;
    return;
  }
  ++pass_;
  problem_ = 0;
  pass_changed_ = false;
}

std::vector<ContestRun::Trial> Finals::plan(std::size_t max_trials) const {
  return run_ ? run_->plan(max_trials) : std::vector<ContestRun::Trial>{};
}

std::optional<Cell> Finals::cell(const ContestRun::Trial& trial, std::size_t problem,
                                 const ProblemState& state) const {
  const Contest& contest = run_->contest();
  const Assignment& assignment = run_->entries()[trial.entry].assignment;
  const bool on_trial = contest.kind == Contest::Kind::problem ? problem == contest.problem : state.walked();
  if (!on_trial || problem >= assignment.size()) {
    return std::nullopt;
  }
  return Cell{Cell::Role::candidate, assignment[problem], trial.round, trial.warmup};
}

void Finals::observe(const ContestRun::Trial& trial, const IterationOutcome& outcome) {
  if (!run_) {
    return;
  }
  const Contest& contest = run_->contest();
  if (contest.kind != Contest::Kind::problem) {
    run_->observe(trial, outcome.makespan_ns, std::nullopt);
    return;
  }
  const CellOutcome& cell = outcome.cells[contest.problem];
  run_->observe(trial, cell.launched ? outcome.makespan_ns : std::nullopt, cell.time_ns);
}

void Finals::reject(std::size_t problem, std::size_t config_id) {
  if (!run_) {
    return;
  }
  for (std::size_t entry = 0; entry < run_->entries().size(); ++entry) {
    const Assignment& assignment = run_->entries()[entry].assignment;
    if (problem < assignment.size() && assignment[problem] == config_id) {
      run_->drop(entry);
    }
  }
  if (run_->is_void()) {
    changed_at_[problem] = ++stamp_;
    discard();  // the same stage opens it again, without the config
  }
}

void Finals::interrupt(std::size_t first) {
  if (run_) {
    discard();
  }
  if (stage_ == Stage::verdict && options_->finals_passes > 0) {
    stage_ = Stage::passes;
    pass_ = options_->finals_passes - 1;
    problem_ = first;
  }
}

void Finals::close(const std::string& reason) {
  if (run_) {
    ContestRun::Result result = run_->decide();
    for (Contender& contender : result.contest.contenders) {
      contender.chosen = false;
    }
    result.contest.contenders.front().chosen = true;
    result.contest.reason = "kept " + run_->entries().front().name + ": closed early: " + reason;
    contests_.push_back(std::move(result.contest));
    retakes_ += run_->rounds_retaken();
    run_.reset();
  }
  stage_ = Stage::begin;
}

void Finals::discard() {
  retakes_ += run_->rounds_begun();
  run_.reset();
}

void Finals::conclude(std::vector<ProblemState>& problems) {
  const ContestRun::Result result = run_->decide();
  retakes_ += run_->rounds_retaken();
  contests_.push_back(result.contest);
  if (!result.close.empty()) {
    start_rematch(result);
    return;
  }
  ++stamp_;
  apply(result, problems);
  tie_slack_ -= result.loss;
  if (result.contest.kind == Contest::Kind::problem) {
    contested_at_[result.contest.problem] = stamp_;
  }
  run_.reset();
  step_on(problems.size());
}

void Finals::apply(const ContestRun::Result& result, std::vector<ProblemState>& problems) {
  const ContestRun::Entry& winner = run_->entries()[result.winner];
  const bool one = result.contest.kind == Contest::Kind::problem;
  for (std::size_t p = 0; p < winner.assignment.size(); ++p) {
    const std::size_t before = problems[p].record().choice;
    if (problems[p].walked() && winner.assignment[p] != before) {
      problems[p].choose(winner.assignment[p], "changed from " + config_name(before) +
                                                   (one ? ": " : " with " + winner.name + ": ") +
                                                   result.verdict);
      changed_at_[p] = result.tie ? changed_at_[p] : stamp_;
      pass_changed_ = pass_changed_ || !result.tie;
    }
  }
  if (one && result.winner == 0) {
    problems[result.contest.problem].keep("kept: " + result.verdict);
  }
}

std::size_t Finals::expected_afterwards(const std::vector<ProblemState>& problems) const {
  const auto rounds = 1 + static_cast<std::size_t>(options_->finals_repeat);
  std::size_t total = 0;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const bool reached = stage_ == Stage::passes && (p < problem_ || (p == problem_ && run_));
    const bool takes_part = problems[p].walked() || problems[p].walking();
    if (takes_part && !reached && stage_ != Stage::verdict) {
      std::size_t entries = std::min<std::size_t>(
          problems[p].record().configs.size(), 2 + 3 * static_cast<std::size_t>(options_->finals_candidates));
      total += entries > 1 ? entries * rounds : 0;
    }
  }
  total += stage_ == Stage::begin && total > 0 ? 3 * rounds : 0;
  total += stage_ != Stage::verdict && total > 0 ? 2 * rounds : 0;
  return total;
}

std::int64_t Finals::retakes() const {
  return retakes_ + (run_ ? run_->rounds_retaken() : 0);
}

}  // namespace contextual::policy
