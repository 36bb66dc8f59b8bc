#include "contextual/policy/region_search.hpp"

#include "contextual/policy/search_request.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace contextual::policy {
namespace {

/// Why problems that are not searched use what the walk chose.
Reason own_times_reason(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& by_time) {
  const bool had_a_choice = std::any_of(by_time.begin(), by_time.end(),
                                        [&](std::size_t p) { return problems[p].viable_count() > 1; });
  return had_a_choice ? Why::own_times : Why::no_choice_left;
}

}  // namespace

bool RegionSearch::advance() {
  constexpr std::int64_t most_in_vain = 100'000;
  scope_.update();
  for (std::int64_t asked = 0; goes_on(); ++asked) {
    if (asked == most_in_vain) {
      cut(Reason({.why = Why::planned_in_vain, .count = most_in_vain}));
    } else if (!answer_infeasible()) {
      return false;
    }
  }
  if (!running()) {
    return false;
  }
  ongoing_.failure.empty() ? conclude() : give_up();
  return true;
}

/// Returns false if no run is to follow. A search that is over is followed by the closing comparisons.
bool RegionSearch::goes_on() {
  if (stage_ == Stage::searching) {
    if (!ongoing_.stopped && ongoing_.record.runs < driver_.max_runs() && driver_.has_plan()) {
      return true;
    }
    end_search();
  }
  return stage_ == Stage::closing && closing_.advance();
}

/// The one place that keeps infeasible assignments from being run, whoever plans them: they are answered
/// without a run. Returns false if all that is planned may be run.
bool RegionSearch::answer_infeasible() {
  const std::vector<SearchTrial> planned = trials();
  const auto out = std::find_if(planned.begin(), planned.end(), [this](const SearchTrial& trial) {
    return !scope_.allowed(trial.assignment);
  });
  if (out == planned.end()) {
    return false;
  }
  SearchObservation observation;
  observation.trial = *out;
  observation.infeasible = true;
  pass_on(observation);
  return true;
}

bool RegionSearch::searchable(const ProblemState& problem) const {
  return !basis_.walk.lacks_makespans() && problem.viable_count() > 1;
}

bool RegionSearch::decided_by_time(const ProblemState& problem) const {
  return !searchable(problem) ||
         (!problem.worth_a_search() && !problem.left_unmeasured() && !problem.request().choice_point);
}

void RegionSearch::begin(SearchTask task, std::int64_t iterations) {
  SearchRecord& record = ongoing_.record = {};
  ongoing_.stopped = false;
  ++ongoing_.context;
  earlier_stalls_ = stalls();
  samples_.clear();
  irregular_ = false;
  std::vector<std::size_t> members;
  // Otherwise own times do not decide.
  const bool together = scope_.allowed(basis_.choice_points.normal(basis_.choice_points.choices()));
  for (const std::size_t p : task.problems) {
    const bool by_time = decided_by_time(basis_.problems[p]) && (together || !searchable(basis_.problems[p]));
    (by_time ? record.by_time : members).push_back(p);
  }
  scope_.begin(std::move(task), std::move(members));
  closing_.prepare();
  record.members = scope_.members();
  record.existing = candidates_of(basis_.problems, record.members);
  record.by_own_time = scope_.base();
  const std::size_t parts = scope_.task().parts;
  runs_ = runs_after_walk(basis_.options, iterations, parts, comparisons());
  if (record.members.empty()) {
    driver_.drop();
    stage_ = Stage::closing;
    closing_.limit(runs_);
    closing_.begin(scope_.allowed(scope_.base()) ? std::optional(scope_.base()) : std::nullopt,
                   own_times_reason(basis_.problems, record.by_time), ClosingContest::Claim::not_slower);
  } else {
    stage_ = Stage::searching;
    // What own times chose, for all or for others, is compared last, if nothing else is shown to be faster.
    const std::int64_t last =
        (record.by_time.empty() ? 0 : 1) + (scope_.base_is_far_shorter(scope_.defaults()) ? 1 : 0);
    const std::int64_t kept =
        std::min(runs_ / 2, runs_kept_for_closing(basis_.options, parts, comparisons() + last));
    driver_.begin(iterations, std::max<std::int64_t>(1, runs_ - kept));
  }
}

std::vector<SearchTrial> RegionSearch::trials() const {
  return stage_ == Stage::searching ? driver_.trials()
         : stage_ == Stage::closing ? closing_.plan()
                                    : std::vector<SearchTrial>();
}

std::vector<SearchRunPlan> RegionSearch::plan(std::size_t most) const {
  const auto proven = [this](const Assignment& assignment) { return basis_.feasibility.proven(assignment); };
  std::vector<SearchTrial> planned = trials();
  if (stage_ == Stage::searching) {
    const std::int64_t left = std::max<std::int64_t>(1, driver_.max_runs() - ongoing_.record.runs);
    most = std::min(most, static_cast<std::size_t>(left));
    for (SearchTrial& trial : planned) {
      trial.samples = static_cast<int>(std::min<std::int64_t>(trial.samples, left - 1));
    }
  }
  std::vector<SearchRunPlan> runs =
      search_batch(planned, proven, {most, basis_.options.one_assignment_per_batch});
  for (SearchRunPlan& run : runs) {
    run.context = ongoing_.context;
  }
  return runs;
}

void RegionSearch::observe(const std::vector<SearchRunPlan>& runs,
                           const std::vector<IterationOutcome>& outcomes) {
  const std::size_t length = std::min(runs.size(), outcomes.size());
  samples_.begin_batch();
  for (std::size_t i = 0; i < length;) {
    const bool after_exchange = i == 0;
    const SearchRunPlan& first = runs[i];
    std::vector<SearchRun> seen;
    Reason infeasible;
    for (; i < length && runs[i].trial == first.trial; ++i) {
      SearchSamples::Reading reading = samples_.read(runs[i], outcomes[i], scope_.members());
      retakes_ += runs[i].run > 0 && !reading.run.makespan_ns ? 1 : 0;
      if (reading.out_of_time) {
        infeasible = Reason({.why = Why::no_time_in_runs, .count = SearchSamples::most_misses});
      }
      seen.push_back(std::move(reading.run));
      infeasible = outcomes[i].infeasible.empty() ? infeasible : told(outcomes[i].infeasible);
    }
    if (!infeasible.empty()) {
      basis_.feasibility.failed(first.assignment, infeasible);
      samples_.forget(first.assignment);
    }
    SearchRecord& record = closing_.record();
    record.runs += static_cast<std::int64_t>(seen.size());
    ++record.lead_ins;
    if (running() && first.context == ongoing_.context) {
      SearchObservation observation;
      observation.trial = {first.assignment, first.samples};
      observation.runs = std::move(seen);
      observation.infeasible = !infeasible.empty();
      observation.after_exchange = after_exchange;
      observe_trial(observation);
    }
  }
  if (samples_.end_batch() && running() && !ongoing_.stopped) {
    irregular_ = true;
    cut(Why::irregular_launches);
  }
}

/// `observation` has an assignment of all problems.
void RegionSearch::observe_trial(const SearchObservation& observation) {
  const Assignment& assignment = observation.trial.assignment;
  const std::vector<SearchRun>& runs = observation.runs;
  const bool measured =
      std::any_of(runs.begin(), runs.end(), [](const SearchRun& run) { return run.makespan_ns.has_value(); });
  if (measured && !observation.infeasible) {
    basis_.feasibility.succeeded(assignment);
    for (std::size_t i = 1; i < runs.size(); ++i) {
      if (runs[i].makespan_ns && decides()) {
        samples_.add(assignment, *runs[i].makespan_ns);
      }
    }
  }
  pass_on(observation);
}

void RegionSearch::pass_on(const SearchObservation& observation) {
  if (stage_ == Stage::searching) {
    driver_.observe(observation);
    return;
  }
  const ClosingStage::Next next = closing_.observe(observation);
  stage_ = next == ClosingStage::Next::searches_again ? Stage::searching : stage_;
  if (next == ClosingStage::Next::begins_anew) {
    interrupt();
  }
}

void RegionSearch::reject(std::size_t problem, std::size_t config_id) {
  if (!running()) {
    return;
  }
  driver_.reject(problem, config_id);
  samples_.forget(problem, config_id);
  const auto used_beside = [&](const Assignment& assignment) {
    return problem < assignment.size() && assignment[problem] == config_id &&
           basis_.choice_points.active(problem, assignment);
  };
  const std::vector<Assignment>& best = scope_.task().by_alternative;
  if (!scope_.has_member(problem) &&
      (used_beside(scope_.base()) || std::any_of(best.begin(), best.end(), used_beside))) {
    interrupt();  // the context of all trials has changed
  } else {
    closing_.reject(problem, config_id);
  }
}

void RegionSearch::interrupt() {
  retakes_ += running() ? ongoing_.record.runs : 0;
  stage_ = Stage::idle;
  driver_.drop();
  closing_.drop();
}

void RegionSearch::cut(const Reason& reason) {
  if (running()) {
    ongoing_.record.cut = reason;
    ongoing_.stopped = true;
  }
}

void RegionSearch::end_search() {
  if (!ongoing_.stopped && ongoing_.record.runs >= driver_.max_runs() && driver_.has_plan()) {
    ongoing_.record.cut = Reason({.why = Why::run_budget, .count = driver_.max_runs()});
  }
  stage_ = Stage::closing;
  closing_.limit(runs_ - ongoing_.record.runs);
  closing_.begin(driver_.best(), driver_.reason(), ClosingContest::Claim::faster);
}

void RegionSearch::conclude() {
  const Reason cut = ongoing_.record.cut.empty() ? Reason() : Why::cut + ongoing_.record.cut;
  for (std::size_t p = 0; p < basis_.problems.size(); ++p) {
    const bool member = scope_.has_member(p);
    const bool differs = basis_.choice_points.active(p, ongoing_.record.choice) &&
                         ongoing_.record.choice[p] != basis_.problems[p].record().choice;
    if (member || differs) {
      const bool with_alternative = !member && scope_.compares_alternatives();
      basis_.problems[p].choose(
          ongoing_.record.choice[p],
          (with_alternative ? Why::best_with_chosen_alternative : ongoing_.record.reason) + cut);
    }
  }
  const bool measured_together = measured(ongoing_.record.choice);
  for (const std::size_t p : scope_.task().settled) {
    const bool member = scope_.has_member(p);
    // What is best with each alternative was measured when that was tuned.
    const bool known =
        measured_together || scope_.compares_alternatives() || basis_.problems[p].viable_count() == 1;
    if (member && !measured_together) {
      basis_.problems[p].make_provisional(Why::not_measured_together);
    } else {
      basis_.problems[p].lock_in(known ? Evidence::search : Evidence::own_time);
    }
  }
  if (const std::optional<SearchRecord>& overall = closing_.overall(); overall && !overall->lost.empty()) {
    for (std::size_t p = 0; p < basis_.problems.size(); ++p) {
      if (overall->choice[p] != basis_.problems[p].record().choice &&
          basis_.choice_points.active(p, overall->choice)) {
        basis_.problems[p].replace_choice(overall->choice[p], overall->reason);
      }
    }
  }
  end();
}

/// Returns true if the assignment has a sample of the search or, where that can be trusted, of the walk.
bool RegionSearch::measured(const Assignment& assignment) const {
  return samples_.has(assignment) || (!irregular_ && basis_.walk.has_measured(assignment));
}

void RegionSearch::give_up() {
  for (const std::size_t p : scope_.task().settled) {
    basis_.problems[p].close(ongoing_.failure);
  }
  ongoing_.record.reason = ongoing_.failure;
  end();
}

/// What noise has hidden of a part of the choice is hidden of all, unless it is surely shorter than the
/// defaults.
bool RegionSearch::hides_gain(const SearchRecord& overall) const {
  const auto is_used = [&](std::size_t problem) {
    return basis_.choice_points.active(problem, overall.choice);
  };
  return !(overall.gain && overall.gain->low > 0) &&
         std::any_of(records_.begin(), records_.end(), [&](const SearchRecord& part) {
           return part.is_unsure() && (std::any_of(part.members.begin(), part.members.end(), is_used) ||
                                       std::any_of(part.by_time.begin(), part.by_time.end(), is_used));
         });
}

void RegionSearch::end() {
  ongoing_.record.failed = basis_.feasibility.infeasible_count();
  samples_.note_in(ongoing_.record, basis_.options.tie_margin);
  if (scope_.compares_alternatives() && !ongoing_.record.choice.empty()) {
    ongoing_.record.by_own_time = ongoing_.record.choice;  // alternatives have no own times
    ongoing_.record.cost_of_own_time.reset();
  }
  records_.push_back(std::move(ongoing_.record));
  if (std::optional<SearchRecord>& overall = closing_.overall()) {
    overall->failed = basis_.feasibility.infeasible_count();
    overall->unsure = overall->unsure || hides_gain(*overall);
    records_.push_back(*std::move(overall));
  }
  stage_ = Stage::idle;
  driver_.drop();
  closing_.drop();
}

FarShare RegionSearch::stalls() const {
  FarShare share;
  const Makespans so_far = samples_.with(basis_.walk);
  for (const auto& [assignment, makespans] : so_far.all()) {
    share += far_share(makespans, times_of_stalls * median(makespans));
  }
  return share.far > earlier_stalls_.far ? share : earlier_stalls_;
}

std::int64_t RegionSearch::most_runs(std::int64_t iterations, std::size_t searches) const {
  std::int64_t runs = running() ? closing_.most_runs_left() : 0;
  if (stage_ == Stage::searching) {
    runs = std::min(runs + driver_.most_runs_left(ongoing_.record.runs), runs_ - ongoing_.record.runs);
  }
  bool any_choice = false;
  bool any_member = false;
  for (const ProblemState& problem : basis_.problems) {
    const bool undecided = problem.exploring() || problem.walking() || problem.walked();
    const bool open = undecided && problem.viable_count() > 1;
    any_choice = any_choice || open;
    any_member = any_member || (open && !decided_by_time(problem));
  }
  if (basis_.options.search == SearchLevel::off || !any_choice) {
    return runs;
  }
  const std::int64_t each = searches > 1 || scope_.compares_alternatives() ? 2 : 1;
  for (std::size_t parts = searches - (running() ? 1 : 0); parts > 0; --parts) {
    runs += any_member ? runs_after_walk(basis_.options, iterations + runs, parts, each)
                       : ClosingComparison::runs_of(basis_.options.closing_rounds);
  }
  return runs;
}

}  // namespace contextual::policy
