#include "contextual/policy/region_search.hpp"

#include "contextual/policy/assignments.hpp"
#include "contextual/policy/checked_search.hpp"
#include "contextual/policy/search_request.hpp"
#include "contextual/policy/text.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace contextual::policy {
namespace {

constexpr std::int64_t least_part = 4;    ///< a long walk leaves the search one of so many of all runs
constexpr std::int64_t closing_part = 4;  ///< closing comparisons take one of so many of all runs at most
constexpr std::size_t most_planned_in_vain = 100'000;

/// With the article.
std::string text_of(Reference reference) {
  switch (reference) {
    case Reference::alternative_defaults:
      return "the defaults of this alternative";
    case Reference::default_alternative:
      return "the default alternative at its best";
    default:
      return "the defaults";
  }
}

/// Why problems that are not searched use what the walk chose.
std::string own_times_reason(const std::vector<ProblemState>& problems,
                             const std::vector<std::size_t>& by_time) {
  const bool had_a_choice = std::any_of(by_time.begin(), by_time.end(),
                                        [&](std::size_t p) { return problems[p].viable_count() > 1; });
  return had_a_choice ? "own times decide" : "nothing is left to choose from";
}

}  // namespace

void RegionSearch::advance(std::vector<ProblemState>& problems) {
  note_choices(problems);
  if (stage_ == Stage::searching) {
    rule_out();
    if (!stopped_ && record_.runs < max_runs_ && !search_->plan().empty()) {
      return;
    }
    end_search();
  }
  if (stage_ == Stage::closing) {
    do {
      if (compares_further()) {
        return;
      }
    } while (!end_closing());
    begin_overall();
  }
  if (stage_ == Stage::overall) {
    if (compares_further()) {
      return;
    }
    end_overall();
  }
  if (failure_.empty()) {
    conclude(problems);
  } else {
    give_up(problems);
  }
}

bool RegionSearch::searchable(const ProblemState& problem) const {
  return !walk_.lacks_makespans() && problem.viable_count() > 1;
}

bool RegionSearch::decided_by_time(const ProblemState& problem) const {
  return !searchable(problem) ||
         (!problem.worth_a_search() && !problem.left_unmeasured() && !problem.request().choice_point);
}

/// What the walk would choose by now, and the defaults; with alternatives, the default one at its best.
void RegionSearch::note_choices(const std::vector<ProblemState>& problems) {
  walked_ = choices(problems);
  defaults_ = defaults(problems);
  if (task_.by_alternative.empty()) {
    walked_ = choice_points_.normal(std::move(walked_));
    defaults_ = choice_points_.normal(std::move(defaults_));
  } else {
    walked_ = full(project(walked_, members_));
    defaults_ = full(project(defaults_, members_));
  }
  all_defaults_ = choice_points_.normal(all_defaults(problems));
}

void RegionSearch::begin(const std::vector<ProblemState>& problems, SearchTask task,
                         std::int64_t iterations) {
  task_ = std::move(task);
  record_ = {};
  stopped_ = false;
  ++context_;
  samples_.clear();
  irregular_ = false;
  make_contest();
  overall_.reset();
  members_.clear();
  sampled_.clear();
  base_ = choices(problems);
  const bool together = allowed(choice_points_.normal(base_));  // else own times do not decide
  for (const std::size_t p : task_.problems) {
    if (decided_by_time(problems[p]) && (together || !searchable(problems[p]))) {
      record_.by_time.push_back(p);
    } else {
      members_.push_back(p);
      sampled_.push_back({p, !problems[p].request().choice_point});
    }
  }
  base_ = full(project(base_, members_));
  record_.members = members_;
  for (const std::size_t p : task_.problems) {
    by_makespan_[p] = std::find(members_.begin(), members_.end(), p) != members_.end();
  }
  note_choices(problems);
  record_.existing = candidates_of(problems, members_);
  record_.by_own_time = base_;
  stage_ = Stage::searching;
  claim_ = members_.empty() ? ClosingContest::Claim::not_slower : ClosingContest::Claim::faster;
  if (members_.empty()) {
    search_.reset();
    record_.choice = base_;
    record_.reason = own_times_reason(problems, record_.by_time);
    if (!allowed(base_)) {
      choose_unmeasured();
    }
    begin_closing();
  } else {
    make_search(problems, iterations);
  }
}

/// Of the candidates with the defaults.
void RegionSearch::make_contest() {
  closing_.emplace(options_.closing_rounds,
                   runs_in_all() / closing_part / static_cast<std::int64_t>(task_.parts));
}

std::int64_t RegionSearch::runs_in_all() const {
  return options_.search_runs > 0 ? options_.search_runs : runs_of(options_.search);
}

/// What the budget leaves over after the walk, but never next to nothing.
std::int64_t RegionSearch::runs_for_search(std::int64_t iterations, std::size_t parts) const {
  const std::int64_t all = runs_in_all();
  const std::int64_t comparisons = task_.by_alternative.empty() ? 1 : 2;
  const std::int64_t closing = 1 + comparisons * ClosingComparison::runs_of(options_.closing_rounds);
  const auto shared_by = static_cast<std::int64_t>(parts);
  return std::max({(all - iterations) / shared_by - closing, all / least_part / shared_by, std::int64_t{1}});
}

void RegionSearch::make_search(const std::vector<ProblemState>& problems, std::int64_t iterations) {
  SearchRequest request = request_for(problems, members_, project(base_, members_), iterations);
  if (task_.by_alternative.empty()) {
    request.walked = walk_.samples_of(members_, base_);
  }
  for (const auto& [assignment, reason] : feasibility_.failures()) {
    if (assignment.size() == base_.size() && full(project(assignment, members_)) == assignment) {
      request.walked.push_back({project(assignment, members_), {}});
    }
  }
  max_runs_ = request.max_runs = runs_for_search(iterations, task_.parts);
  request.min_gain = options_.search_min_gain;
  request.tie_margin = options_.tie_margin;
  if (options_.feasible) {
    request.feasible = [this](const Assignment& of_members) { return !ruled_out(full(of_members)); };
  }
  std::unique_ptr<Search> search =
      options_.search_factory ? options_.search_factory(request) : joint_search(request);
  if (search == nullptr) {
    throw InvalidArgument("the search factory returned null; it must return a search for every request");
  }
  const auto has_run = [this](const Assignment& of_members) { return feasibility_.proven(full(of_members)); };
  search_ = std::make_unique<CheckedSearch>(request, std::move(search), has_run);
}

Assignment RegionSearch::full(const Assignment& of_members) const {
  Assignment assignment = base_;
  if (!task_.by_alternative.empty()) {
    const std::size_t choice_point = task_.problems.front();
    const Assignment& best =
        task_.by_alternative.at(members_.empty() ? base_[choice_point] : of_members.at(0));
    std::copy(best.begin(), best.end(), assignment.begin());
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    assignment[members_[i]] = of_members.at(i);
  }
  return choice_points_.normal(std::move(assignment));
}

/// Returns false for an assignment that has failed or that the user has ruled out.
bool RegionSearch::allowed(const Assignment& assignment) const {
  return !feasibility_.infeasible(assignment) && !ruled_out(assignment);
}

bool RegionSearch::ruled_out(const Assignment& assignment) const {
  const bool out = options_.feasible && !options_.feasible(assignment);
  if (out) {
    feasibility_.rule_out(assignment);
  }
  return out;
}

/// What must not be run is answered without a run. A search that goes on planning it is cut.
void RegionSearch::rule_out() {
  for (std::size_t asked = 0; asked < most_planned_in_vain; ++asked) {
    const std::vector<SearchTrial> planned = search_->plan();
    const auto out = std::find_if(planned.begin(), planned.end(), [this](const SearchTrial& trial) {
      return ruled_out(full(trial.assignment));
    });
    if (out == planned.end()) {
      return;
    }
    SearchObservation observation;
    observation.trial = *out;
    observation.infeasible = "ruled out by `feasible`";
    search_->observe(observation);
  }
  cut("the search planned " + std::to_string(most_planned_in_vain) +
      " trials without a run between them that are ruled out by `feasible`");
}

std::vector<SearchTrial> RegionSearch::trials() const {
  if (stage_ == Stage::closing || stage_ == Stage::overall) {
    return closing_ ? closing_->plan() : std::vector<SearchTrial>();
  }
  std::vector<SearchTrial> trials;
  if (stage_ == Stage::searching) {
    trials = search_->plan();
    for (SearchTrial& trial : trials) {
      trial.assignment = full(trial.assignment);
    }
  }
  return trials;
}

std::vector<SearchRunPlan> RegionSearch::plan(std::size_t most) const {
  const auto proven = [this](const Assignment& assignment) { return feasibility_.proven(assignment); };
  if (stage_ == Stage::searching) {
    most = std::min(most, static_cast<std::size_t>(std::max<std::int64_t>(1, max_runs_ - record_.runs)));
  }
  std::vector<SearchRunPlan> runs = search_batch(trials(), proven, {most, options_.one_assignment_per_batch});
  for (SearchRunPlan& run : runs) {
    run.context = context_;
  }
  return runs;
}

void RegionSearch::observe(const std::vector<SearchRunPlan>& runs,
                           const std::vector<IterationOutcome>& outcomes) {
  const std::size_t length = std::min(runs.size(), outcomes.size());
  samples_.begin_batch();
  for (std::size_t i = 0; i < length && running();) {
    const bool after_exchange = i == 0;
    const SearchRunPlan& first = runs[i];
    std::vector<SearchRun> seen;
    std::string infeasible;
    for (; i < length && runs[i].trial == first.trial; ++i) {
      SearchSamples::Reading reading = samples_.read(runs[i], outcomes[i], sampled_);
      retakes_ += runs[i].run > 0 && !reading.run.makespan_ns ? 1 : 0;
      if (reading.out_of_time) {
        infeasible = "no valid time in " + std::to_string(SearchSamples::most_misses) + " runs in a row";
      }
      seen.push_back(std::move(reading.run));
      infeasible = outcomes[i].infeasible.empty() ? infeasible : outcomes[i].infeasible;
    }
    SearchRecord& record = stage_ == Stage::overall ? *overall_ : record_;
    record.runs += static_cast<std::int64_t>(seen.size());
    ++record.lead_ins;
    if (first.context == context_) {
      SearchObservation observation;
      observation.trial = {first.assignment, first.samples};
      observation.runs = std::move(seen);
      observation.infeasible = infeasible;
      observation.after_exchange = after_exchange;
      observe_trial(observation);
    }
  }
  if (samples_.end_batch() && running() && !stopped_) {
    irregular_ = true;
    cut("the region launches some kernels in some of its runs only, so that no makespan could be compared");
  }
}

/// `observation` has an assignment of all problems.
void RegionSearch::observe_trial(const SearchObservation& observation) {
  const Assignment& assignment = observation.trial.assignment;
  const std::vector<SearchRun>& runs = observation.runs;
  const bool measured =
      std::any_of(runs.begin(), runs.end(), [](const SearchRun& run) { return run.makespan_ns.has_value(); });
  if (!observation.infeasible.empty()) {
    feasibility_.failed(assignment, observation.infeasible);
    samples_.forget(assignment);
  } else if (measured) {
    feasibility_.succeeded(assignment);
    for (std::size_t i = 1; i < runs.size(); ++i) {
      if (runs[i].makespan_ns && decides()) {
        samples_.add(assignment, *runs[i].makespan_ns);
      }
    }
  }
  if (stage_ == Stage::searching) {
    tell_search(observation);
  } else if (closing_ && closing_->running()) {
    observe_in_closing(observation);
  }
}

/// `observation` has an assignment of all problems.
void RegionSearch::tell_search(SearchObservation observation) {
  observation.trial.assignment = project(observation.trial.assignment, members_);
  search_->observe(observation);
}

void RegionSearch::observe_in_closing(const SearchObservation& observation) {
  closing_->observe(observation);
  if (observation.infeasible.empty()) {
    return;
  }
  ++context_;
  const Assignment& failed = observation.trial.assignment;
  if (search_ && full(project(failed, members_)) == failed) {
    SearchObservation failure = observation;
    failure.runs.clear();
    tell_search(std::move(failure));
  }
  if (failed != closing_->comparison().choice()) {
    begin_next_comparison();
  } else if (search_ && (claim_ == ClosingContest::Claim::faster || stage_ == Stage::overall)) {
    search_again();  // for the second best
  } else if (search_) {
    give_back();
  } else {
    choose_unmeasured();
    begin_closing();
  }
}

void RegionSearch::reject(std::size_t problem, std::size_t config_id) {
  if (!running()) {
    return;
  }
  const auto member = std::find(members_.begin(), members_.end(), problem);
  if (search_ && member != members_.end()) {
    search_->reject(static_cast<std::size_t>(member - members_.begin()), config_id);
  }
  samples_.forget(problem, config_id);
  const bool of_alternative =
      std::any_of(task_.by_alternative.begin(), task_.by_alternative.end(), [&](const Assignment& best) {
        return member == members_.end() && problem < best.size() && best[problem] == config_id &&
               choice_points_.active(problem, best);
      });
  const bool in_closing = closing_ && closing_->running() &&
                          (closing_->comparison().choice()[problem] == config_id ||
                           closing_->comparison().reference()[problem] == config_id);
  if (of_alternative ||
      (base_[problem] == config_id && member == members_.end() && choice_points_.active(problem, base_))) {
    interrupt();  // the context of all trials has changed
  } else if (in_closing) {
    ++context_;
    if (search_) {
      search_again();
    } else {
      closing_->drop();
    }
  }
}

void RegionSearch::search_again() {
  if (stage_ == Stage::overall) {
    make_contest();
    overall_.reset();
  }
  closing_->drop();
  stage_ = Stage::searching;
}

void RegionSearch::interrupt() {
  retakes_ += running() ? record_.runs : 0;
  stage_ = Stage::idle;
  search_.reset();
  closing_.reset();
  overall_.reset();
}

void RegionSearch::cut(const std::string& reason) {
  if (running()) {
    record_.cut = reason;
    stopped_ = true;
  }
}

void RegionSearch::end_search() {
  if (!stopped_ && record_.runs >= max_runs_ && !search_->plan().empty()) {
    record_.cut = "its budget of " + std::to_string(max_runs_) + " runs is spent";
  }
  claim_ = ClosingContest::Claim::faster;
  const std::optional<Assignment> best = search_->best();
  record_.reason = search_->reason();
  if (best) {
    record_.choice = full(*best);
  } else {
    choose_unmeasured();
  }
  begin_closing();
}

/// Where nothing was measured: what the walk chose if that has run, else what has run first.
void RegionSearch::choose_unmeasured() {
  const std::optional<Assignment> first = task_.by_alternative.empty()
                                              ? feasibility_.first_proven_like(base_)
                                              : feasibility_.first_proven(base_.size());
  record_.reason = "nothing was measured";
  if (feasibility_.proven(walked_) || (!first && feasibility_.failures().empty() && allowed(walked_))) {
    record_.choice = walked_;
  } else if (first) {
    record_.choice = *first;
    record_.reason += "; it is the first assignment that ran";
  } else {
    record_.choice.clear();
    failure_ = "no feasible assignment was found in " + std::to_string(record_.runs) +
               " runs of the search and those of the walk" + known_failure();
  }
}

/// A failure with the alternatives that are in use, for a message; empty if none is known.
std::string RegionSearch::known_failure() const {
  for (const auto& [assignment, reason] : feasibility_.failures()) {
    if (assignment.size() == base_.size() && choice_points_.same_alternatives(assignment, base_)) {
      return "; one failed: " + reason;
    }
  }
  return allowed(base_) ? "" : "; `feasible` rules out what they would try first";
}

bool RegionSearch::may_compare() const {
  return !stopped_ && failure_.empty() && options_.closing_rounds > 0 && !walk_.lacks_makespans();
}

/// What `defaults_` stand for.
Reference RegionSearch::kind_of_defaults() const {
  if (defaults_ == all_defaults_) {
    return Reference::defaults;
  }
  if (!task_.by_alternative.empty()) {
    return Reference::default_alternative;
  }
  return choice_points_.same_alternatives(defaults_, all_defaults_) ? Reference::defaults
                                                                    : Reference::alternative_defaults;
}

/// Compares the choice with the reference or, if that is infeasible, with the first assignment that ran, over
/// which nothing has to be shown.
void RegionSearch::begin_comparison(SearchRecord& record, Assignment reference, Reference kind) {
  closing_->drop();
  record.reference = Reference::none;
  record.compared_with.clear();
  record.choice_makespan = {};
  if (!may_compare()) {
    return;
  }
  ClosingContest::Claim claim = claim_;
  if (!allowed(reference)) {
    const std::optional<Assignment> first = feasibility_.first_proven(base_.size());
    if (!first) {
      return;
    }
    reference = *first;
    kind = Reference::first_feasible;
    claim = ClosingContest::Claim::not_slower;
  }
  record.reference = kind;
  record.compared_with = reference;
  if (reference != record.choice) {
    closing_->begin(std::move(reference), record.choice, claim);
  }
}

bool RegionSearch::compares_further() const {
  return !stopped_ && closing_ && !closing_->plan().empty();
}

/// With another reference, because that of the last one is infeasible.
void RegionSearch::begin_next_comparison() {
  if (stage_ == Stage::overall) {
    begin_comparison(*overall_, all_defaults_, Reference::defaults);
  } else {
    begin_closing();
  }
}

void RegionSearch::begin_closing() {
  stage_ = Stage::closing;
  begin_comparison(record_, defaults_, kind_of_defaults());
}

/// Sets what the comparison has measured. There is no gain over something without a name.
ClosingContest::Verdict RegionSearch::end_comparison(SearchRecord& record) {
  using Verdict = ClosingContest::Verdict;
  Verdict verdict = closing_->running() ? closing_->judge() : Verdict::unmeasured;
  if (!closing_->running() || (verdict == Verdict::open && !stopped_)) {
    return verdict;
  }
  verdict = verdict == Verdict::open ? Verdict::noise : verdict;
  const ClosingComparison::Result& result = closing_->result();
  record.reference_makespan = result.reference;
  record.choice_makespan = result.choice;
  if (record.reference == Reference::first_feasible) {
    return Verdict::unmeasured;
  }
  record.gain = result.gain;
  return verdict;
}

/// Returns false if there is more to compare.
bool RegionSearch::end_closing() {
  using Verdict = ClosingContest::Verdict;
  const Verdict verdict = end_comparison(record_);
  if (verdict == Verdict::open) {
    return false;
  }
  if (verdict == Verdict::lost || verdict == Verdict::noise) {
    lose();
    return !closing_->running();
  }
  if (verdict == Verdict::unmeasured && !record_.lost.empty() &&
      record_.reference != Reference::first_feasible) {
    give_back();  // what took the loser's place has shown nothing
    return true;
  }
  if (verdict == Verdict::shown) {
    const double gain = record_.gain->centre;
    record_.reason += ", " + percent(std::abs(gain)) + (gain < 0 ? " longer" : " shorter") + " than " +
                      text_of(record_.reference);
  }
  closing_->drop();
  return true;
}

/// What has lost is out, and the next best takes its place. The reference comes back if nothing is left.
void RegionSearch::lose() {
  const Assignment reference = closing_->comparison().reference();
  record_.lost.push_back({record_.choice, *record_.gain});
  const std::optional<Assignment> next = next_candidate();
  record_.gain.reset();
  if (next && *next != reference) {
    record_.choice = *next;
    begin_closing();
  } else {
    give_back();
  }
}

/// The reference comes back, with what speaks for it: the candidate that was closest to a gain.
void RegionSearch::give_back() {
  const Gain& gain = std::max_element(record_.lost.begin(), record_.lost.end(),
                                      [](const LostComparison& a, const LostComparison& b) {
                                        return a.gain.centre < b.gain.centre;
                                      })
                         ->gain;
  const std::string name = text_of(record_.reference);
  const std::string win = record_.reference == Reference::default_alternative ? ": that wins" : ": they win";
  const bool tie = gain.high < options_.tie_margin && gain.low > -options_.tie_margin;
  record_.reason =
      tie ? "the best candidate ties with " + name + win
      : gain.high < 0
          ? "compared in turn, the best candidate is " + percent(-gain.centre) + " longer than " + name + win
          : "the noise is too large to show that the best candidate is shorter than " + name + " (by " +
                percent(gain.low) + " to " + percent(gain.high) + ")" + win;
  record_.choice = record_.compared_with;
  record_.choice_makespan = record_.reference_makespan;
  record_.gain = Gain{};
  closing_->drop();
}

/// The best that has not lost, or else what own times chose, with the defaults of all that is searched.
std::optional<Assignment> RegionSearch::next_candidate() {
  if (stopped_ || claim_ == ClosingContest::Claim::not_slower) {
    return std::nullopt;
  }
  Assignment by_time = defaults_;
  for (const std::size_t p : record_.by_time) {
    by_time[p] = base_[p];
  }
  by_time = choice_points_.normal(std::move(by_time));
  const bool has_lost = std::any_of(
      record_.lost.begin(), record_.lost.end(),
      [&](const LostComparison& lost) { return lost.assignment == by_time && lost.gain.high < 0; });
  const bool last_is_by_time =
      task_.by_alternative.empty() && by_time != defaults_ && !has_lost && allowed(by_time);
  if (closing_->affords(last_is_by_time ? 2 : 1)) {
    search_->rule_out(project(record_.choice, members_));
    const std::optional<Assignment> best = search_->best();
    if (best && full(*best) != defaults_) {
      record_.reason = search_->reason();
      return full(*best);
    }
  }
  if (!last_is_by_time || !closing_->affords(1)) {
    return std::nullopt;
  }
  claim_ = ClosingContest::Claim::not_slower;
  record_.reason = "own times decide";
  return by_time;
}

/// The last comparison of alternatives shows nothing of the defaults: what is chosen is compared with them
/// once more. It does not decide any more, because each step on the way to the choice was compared.
void RegionSearch::begin_overall() {
  stage_ = Stage::overall;
  closing_.emplace(options_.closing_rounds, 0);
  claim_ = ClosingContest::Claim::not_slower;
  overall_.reset();
  const bool last = !task_.by_alternative.empty() && !choice_points_.exploring();
  if (!last || record_.choice.empty() || record_.reference == Reference::defaults ||
      record_.choice == all_defaults_) {
    return;
  }
  overall_.emplace();
  for (const auto& [problem, by_makespan] : by_makespan_) {
    (by_makespan ? overall_->members : overall_->by_time).push_back(problem);
  }
  overall_->existing = 2;  // the choice and the reference
  overall_->choice = overall_->by_own_time = record_.choice;
  overall_->reason = "best of all alternatives";
  begin_comparison(*overall_, all_defaults_, Reference::defaults);
}

void RegionSearch::end_overall() {
  if (!closing_->running()) {
    overall_.reset();
    return;
  }
  overall_->cut = stopped_ ? record_.cut : "";
  end_comparison(*overall_);
  if (overall_->gain) {
    const double gain = overall_->gain->centre;
    overall_->reason +=
        ", " + percent(std::abs(gain)) + (gain < 0 ? " longer" : " shorter") + " than the defaults";
  }
  if (overall_->reference_makespan.count > 0) {
    overall_->measured = {{overall_->compared_with, overall_->reference_makespan},
                          {overall_->choice, overall_->choice_makespan}};
  }
}

void RegionSearch::conclude(std::vector<ProblemState>& problems) {
  const std::string cut = record_.cut.empty() ? "" : " (cut: " + record_.cut + ")";
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const bool member = std::find(members_.begin(), members_.end(), p) != members_.end();
    const bool differs =
        choice_points_.active(p, record_.choice) && record_.choice[p] != problems[p].record().choice;
    if (member || differs) {
      const bool with_alternative = !member && !task_.by_alternative.empty();
      problems[p].choose(
          record_.choice[p],
          (with_alternative ? "best with the alternative that was chosen" : record_.reason) + cut);
    }
  }
  const bool measured_together = measured(record_.choice);
  for (const std::size_t p : task_.settled) {
    const bool member = std::find(members_.begin(), members_.end(), p) != members_.end();
    // What is best with each alternative was measured when that was tuned.
    const bool known = measured_together || !task_.by_alternative.empty() || problems[p].viable_count() == 1;
    if (member && !measured_together) {
      problems[p].make_provisional("no run has measured it beside the others");
    } else {
      problems[p].lock_in(known ? Evidence::search : Evidence::own_time);
    }
  }
  end();
}

/// Returns true if the assignment has a sample of the search or, where that can be trusted, of the walk.
bool RegionSearch::measured(const Assignment& assignment) const {
  return samples_.has(assignment) || (!irregular_ && walk_.has_measured(assignment));
}

void RegionSearch::give_up(std::vector<ProblemState>& problems) {
  for (const std::size_t p : task_.settled) {
    problems[p].close(failure_);
  }
  record_.reason = failure_;
  end();
}

void RegionSearch::end() {
  record_.failed = feasibility_.infeasible_count();
  samples_.note_in(record_, options_.tie_margin);
  if (!task_.by_alternative.empty() && !record_.choice.empty()) {
    record_.by_own_time = record_.choice;  // alternatives have no own times
    record_.cost_of_own_time.reset();
  }
  records_.push_back(std::move(record_));
  if (overall_) {
    overall_->failed = feasibility_.infeasible_count();
    records_.push_back(*std::move(overall_));
    overall_.reset();
  }
  stage_ = Stage::idle;
  search_.reset();
  closing_.reset();
}

/// Of the search that runs.
std::int64_t RegionSearch::most_runs_left() const {
  const auto comparing = static_cast<std::int64_t>(closing_ ? closing_->most_runs_left() : 0);
  const std::int64_t searching =
      stage_ == Stage::searching
          ? std::clamp<std::int64_t>(max_runs_ - record_.runs, 0,
                                     static_cast<std::int64_t>(search_->remaining_runs()))
          : 0;
  const bool overall_follows = stage_ != Stage::overall && !task_.by_alternative.empty();
  return searching + comparing + (overall_follows ? ClosingComparison::runs_of(options_.closing_rounds) : 0);
}

std::int64_t RegionSearch::most_runs(const std::vector<ProblemState>& problems, std::int64_t iterations,
                                     std::size_t searches) const {
  std::int64_t runs = running() ? most_runs_left() : 0;
  bool any_choice = false;
  bool any_member = false;
  for (const ProblemState& problem : problems) {
    const bool undecided = problem.exploring() || problem.walking() || problem.walked();
    const bool open = undecided && problem.viable_count() > 1;
    any_choice = any_choice || open;
    any_member = any_member || (open && !decided_by_time(problem));
  }
  if (options_.search == SearchLevel::off || !any_choice) {
    return runs;
  }
  for (std::size_t parts = searches - (running() ? 1 : 0); parts > 0; --parts) {
    const std::int64_t rounds = std::max<std::int64_t>(
        options_.closing_rounds,
        any_member
            ? runs_in_all() / closing_part / static_cast<std::int64_t>(parts) / ClosingComparison::runs_of(1)
            : 0);
    runs += (any_member ? runs_for_search(iterations + runs, parts) : 0) +
            ClosingComparison::runs_of(static_cast<int>(rounds));
  }
  return runs;
}

}  // namespace contextual::policy
