#include "contextual/policy/closing_stage.hpp"

#include "contextual/policy/search_request.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace contextual::policy {

using Claim = ClosingContest::Claim;
using Verdict = ClosingContest::Verdict;

namespace {

constexpr std::int64_t first_runs_of_samples = 2;  ///< one alone, and a lead-in

Reason gain_over_reference(const SearchRecord& record) {
  return Reason({.why = Why::gained, .gain = *record.gain, .reference = record.reference});
}

/// Without the lead-in; infinite without a sample.
double median_of_samples(const SearchObservation& observation) {
  std::vector<double> makespans;
  for (std::size_t i = 1; i < observation.runs.size(); ++i) {
    if (const auto& makespan_ns = observation.runs[i].makespan_ns) {
      makespans.push_back(static_cast<double>(*makespan_ns));
    }
  }
  return makespans.empty() ? std::numeric_limits<double>::infinity() : median(std::move(makespans));
}

/// Whether both are known well, from many samples, and this one is noticeably longer.
bool shown_longer(const Summary& paid, const Summary& other) {
  constexpr std::size_t many = 10;
  constexpr double errors = 3;
  constexpr double noticeable = ClosingContest::worthwhile;
  const auto known = [](const Summary& makespan) {
    return makespan.count >= many && errors * makespan.standard_error_ns < noticeable * makespan.centre_ns;
  };
  return known(paid) && known(other) && paid.centre_ns > (1 + noticeable) * other.centre_ns;
}

}  // namespace

void ClosingStage::prepare() {
  drop();
  contest_.emplace(basis_.options.closing_rounds, most_runs_for_closing(basis_.options, scope_.task().parts));
  to_sample_.clear();
  sampled_.clear();
  further_samples_ = samples_of_next_ = 0;
  next_.reset();
  aside_.reset();
  open_.reset();
  for (const std::size_t p : scope_.task().problems) {
    by_makespan_[p] = scope_.has_member(p);
  }
}

void ClosingStage::drop() {
  contest_.reset();
  overall_.reset();
}

/// Without those of the comparison with all defaults.
void ClosingStage::limit(std::int64_t runs) {
  runs -= scope_.compares_alternatives() ? ClosingComparison::runs_of(basis_.options.closing_rounds) : 0;
  const auto reserved = [&runs](int samples) {
    const std::int64_t spare = runs - ClosingContest::fewest_runs - first_runs_of_samples;
    const std::int64_t possible = std::clamp<std::int64_t>(spare, 0, samples);
    runs -= possible > 0 ? possible + first_runs_of_samples : 0;
    return static_cast<int>(possible);
  };
  further_samples_ = reserved(scope_.further_samples());
  samples_of_next_ =
      further_samples_ > 0 && scope_.base() == scope_.defaults() ? reserved(SearchScope::samples_again) : 0;
  contest_->limit(runs);
}

void ClosingStage::begin(const std::optional<Assignment>& candidate, const Reason& reason, Claim claim) {
  claim_ = claim;
  if (candidate) {
    record_.choice = *candidate;
    record_.reason = reason;
    if (may_compare()) {
      sample(*candidate, further_samples_);
    }
  } else {
    choose_unmeasured();
  }
  if (to_sample_.empty()) {
    begin_with_candidate();
  }
}

/// Plans the first run of an assignment alone, which the samples follow.
void ClosingStage::sample(const Assignment& assignment, int samples) {
  if (samples > 0) {
    to_sample_.assign(2, {assignment, samples});
  }
}

void ClosingStage::begin_with_candidate() {
  to_sample_.clear();
  const bool may_be_behind = !driver_.exists() && record_.choice == scope_.defaults() &&
                             contest_->affords(1) && defaults_may_be_behind();
  if (const auto next = may_be_behind ? next_by_time() : std::nullopt) {
    record_.choice = next->assignment;
    record_.reason = Why::next_is_steadier;
    claim_ = Claim::faster;
  } else if (record_.choice == scope_.defaults() && own_times_favor_base(scope_.defaults())) {
    record_.choice = scope_.base();
    record_.reason = Why::own_times;
  }
  begin_closing();
}

bool ClosingStage::advance() {
  if (!to_sample_.empty()) {
    if (!ongoing_.stopped) {
      return true;
    }
    begin_with_candidate();
  }
  if (!overall_) {
    do {
      if (compares_further()) {
        return true;
      }
    } while (!end_closing());
    begin_overall();
  }
  if (compares_further()) {
    return true;
  }
  end_overall();
  return false;
}

std::vector<SearchTrial> ClosingStage::plan() const {
  if (!to_sample_.empty()) {
    return {to_sample_.front()};
  }
  return contest_ ? contest_->plan() : std::vector<SearchTrial>();
}

ClosingStage::Next ClosingStage::observe(const SearchObservation& observation) {
  if (!to_sample_.empty()) {
    return sampled_further(observation);
  }
  if (!contest_ || !contest_->running()) {
    return Next::goes_on;
  }
  contest_->observe(observation);
  if (!observation.infeasible) {
    return Next::goes_on;
  }
  ++ongoing_.context;
  const Assignment& failed = observation.trial.assignment;
  const bool of_choice = failed == contest_->comparison().choice();
  if (driver_.exists() && scope_.full(scope_.of_members(failed)) == failed) {
    SearchObservation failure = observation;
    failure.runs.clear();
    driver_.observe(std::move(failure));
  }
  if (!of_choice) {
    begin_closing();  // with another reference, because that of this comparison is infeasible
  } else if (aside_) {
    contest_->drop();
  } else if (driver_.exists() && (claim_ == Claim::faster || overall_)) {
    if (overall_) {
      prepare();
    }
    contest_->drop();
    return Next::searches_again;
  } else if (driver_.exists()) {
    give_back();
  } else if (failed == scope_.base()) {
    return Next::begins_anew;
  } else {
    overall_.reset();
    choose_unmeasured();
    begin_closing();
  }
  return Next::goes_on;
}

ClosingStage::Next ClosingStage::sampled_further(const SearchObservation& observation) {
  const bool of_choice = observation.trial.assignment == record_.choice;
  if (observation.infeasible) {
    ++ongoing_.context;
    to_sample_.clear();
    if (of_choice) {
      return Next::begins_anew;
    }
  } else if (observation.trial.samples > 0) {
    to_sample_.clear();
    sampled_.push_back(median_of_samples(observation));
  } else {
    to_sample_.pop_back();
  }
  if (const auto next = to_sample_.empty() && of_choice ? this->next() : std::nullopt) {
    sample(next->assignment, scope_.allowed(next->assignment) ? samples_of_next_ : 0);
  }
  if (to_sample_.empty()) {
    begin_with_candidate();
  }
  return Next::goes_on;
}

void ClosingStage::reject(std::size_t problem, std::size_t config_id) {
  for (std::optional<ComparedChoice>* const earlier : {&aside_, &open_}) {
    if (*earlier && (*earlier)->choice[problem] == config_id) {
      earlier->reset();
    }
  }
}

std::int64_t ClosingStage::most_runs_left() const {
  auto comparing = static_cast<std::int64_t>(contest_ ? contest_->most_runs_left() : 0);
  for (const SearchTrial& trial : to_sample_) {
    comparing += 1 + trial.samples;
  }
  if (!to_sample_.empty() && sampled_.empty() && samples_of_next_ > 0) {
    comparing += first_runs_of_samples + samples_of_next_;
  }
  const bool overall_follows = !overall_ && scope_.compares_alternatives();
  return comparing + (overall_follows ? ClosingComparison::runs_of(basis_.options.closing_rounds) : 0);
}

/// Where nothing was measured: what the walk chose if that has run, else what has run first.
void ClosingStage::choose_unmeasured() {
  const auto fits = [this](const Assignment& assignment) {
    return scope_.compares_alternatives() ? scope_.full(scope_.of_members(assignment)) == assignment
                                          : basis_.choice_points.same_alternatives(assignment, scope_.base());
  };
  std::optional<Assignment> first = basis_.feasibility.first_proven(scope_.base().size(), fits);
  if (!first && scope_.compares_alternatives()) {
    first = basis_.feasibility.first_proven(scope_.base().size());
  }
  record_.reason = Why::nothing_measured;
  if (basis_.feasibility.proven(scope_.walked()) ||
      (!first && basis_.feasibility.only_untimed(scope_.walked())) ||
      (!first && basis_.feasibility.failures().empty() && scope_.allowed(scope_.walked()))) {
    record_.choice = scope_.walked();
  } else if (first) {
    record_.choice = *first;
    record_.reason = record_.reason + Why::first_that_ran;
  } else {
    record_.choice.clear();
    ongoing_.failure = Reason({.why = Why::none_feasible, .count = record_.runs}) + known_failure();
  }
}

/// A failure with the alternatives that are in use; empty if none is known.
Reason ClosingStage::known_failure() const {
  for (const auto& [assignment, reason] : basis_.feasibility.failures()) {
    if (assignment.size() == scope_.base().size() &&
        basis_.choice_points.same_alternatives(assignment, scope_.base())) {
      return Why::one_failed + reason;
    }
  }
  return scope_.allowed(scope_.base()) ? Reason() : Why::first_ruled_out;
}

bool ClosingStage::may_compare() const {
  return !ongoing_.stopped && ongoing_.failure.empty() && basis_.options.closing_rounds > 0 &&
         !basis_.walk.lacks_makespans();
}

/// Compares the choice with the reference or, if that is infeasible, with the first assignment that ran, over
/// which nothing has to be shown.
void ClosingStage::begin_comparison(Assignment reference, Reference kind) {
  SearchRecord& record = this->record();
  contest_->drop();
  record.reference = Reference::none;
  record.compared_with.clear();
  record.choice_makespan = record.choice_paid = {};
  if (!may_compare()) {
    return;
  }
  Claim claim = claim_;
  if (!scope_.allowed(reference)) {
    const std::optional<Assignment> first = basis_.feasibility.first_proven(scope_.base().size());
    if (!first) {
      return;
    }
    reference = *first;
    kind = Reference::first_feasible;
    claim = Claim::not_slower;
  }
  record.reference = kind;
  record.compared_with = reference;
  if (reference != record.choice) {
    const Makespans so_far = samples_.with(basis_.walk);
    next_ = next();
    contest_->begin(
        reference, record.choice, claim,
        {.reference_ns = so_far.of(reference),
         .choice_ns = so_far.of(record.choice),
         .others = so_far.machine_without(reference).without(machine_share(so_far.of(record.choice)))},
        next_ ? std::optional(next_->longer_by_ns) : std::nullopt);
  }
}

bool ClosingStage::compares_further() const {
  return !ongoing_.stopped && contest_ && !contest_->plan().empty();
}

void ClosingStage::begin_closing() {
  overall_ ? begin_comparison(scope_.all_defaults(), Reference::defaults)
           : begin_comparison(scope_.defaults(), scope_.kind_of_defaults());
}

/// Sets what the comparison has measured. There is no gain over something without a name.
Verdict ClosingStage::end_comparison() {
  Verdict verdict = contest_->running() ? contest_->judge() : Verdict::unmeasured;
  if (!contest_->running() || (verdict == Verdict::open && !ongoing_.stopped)) {
    return verdict;
  }
  verdict = verdict == Verdict::open ? Verdict::noise : verdict;
  const ClosingComparison::Result& result = contest_->result();
  SearchRecord& record = this->record();
  record.reference_makespan = result.reference;
  record.choice_makespan = result.choice;
  record.choice_paid = result.choice_paid;
  if (record.reference == Reference::first_feasible) {
    return Verdict::unmeasured;
  }
  record.gain = result.gain_in_any_case();
  record.unsure = contest_->unsure();
  return verdict;
}

/// Returns false if there is more to compare.
bool ClosingStage::end_closing() {
  Verdict verdict = end_comparison();
  if (verdict == Verdict::open) {
    return false;
  }
  // Own times chose the defaults, which what ties with them does not replace.
  if (verdict == Verdict::shown && !aside_ && !driver_.exists() && claim_ == Claim::faster &&
      contest_->gains_at_most(basis_.options.tie_margin)) {
    verdict = Verdict::noise;
    record_.unsure = false;
  }
  if (aside_) {
    choose_better();
    return true;
  }
  if (verdict == Verdict::lost || verdict == Verdict::noise) {
    lose();
    return !contest_->running();
  }
  if (verdict == Verdict::shown && open_ && is_open(*open_, record_)) {
    give_back();
    return true;
  }
  const bool took_over =
      driver_.exists() ? driver_.best().value_or(record_.choice) != record_.choice : claim_ == Claim::faster;
  const bool is_other = !record_.lost.empty() || took_over;
  if (verdict == Verdict::unmeasured && is_other && record_.reference != Reference::first_feasible) {
    note_open();
    give_back();  // what took the place of a loser, or of what own times chose, has shown nothing
    return true;
  }
  if (verdict == Verdict::shown) {
    record_.reason = record_.reason + gain_over_reference(record_);
    if ((contest_->behind_next() || own_times_favor_base(record_.choice)) && set_aside()) {
      return false;
    }
  }
  contest_->drop();
  return true;
}

/// What is next may be shorter than a choice that has far samples of its own, and is compared, too.
bool ClosingStage::set_aside() {
  const bool by_own_times = own_times_favor_base(record_.choice);
  const auto next = driver_.exists() ? next_measured() : next_;
  if (!contest_->affords(1) || (!by_own_times && !next)) {
    return false;
  }
  aside_ = record_.compared();
  record_.choice = by_own_times ? scope_.base() : next->assignment;
  record_.reason = by_own_times ? Why::own_times : Why::next_is_steadier;
  record_.gain.reset();
  begin_closing();
  return true;
}

bool ClosingStage::has_lost(const Assignment& assignment) const {
  return std::any_of(record_.lost.begin(), record_.lost.end(),
                     [&](const LostComparison& lost) { return lost.assignment == assignment; });
}

/// The walk's choice is far shorter by own times than this, and was not compared yet: a search that gave it
/// up for a few far samples, or has not sampled it, may be wrong.
bool ClosingStage::own_times_favor_base(const Assignment& chosen) const {
  return driver_.exists() && may_compare() && scope_.base_is_far_shorter(scope_.defaults()) &&
         scope_.base_is_far_shorter(chosen) && !has_lost(scope_.base());
}

/// What was compared is far shorter than the other by own times, and the noise is too large to tell that it
/// does not gain more. An interval that is wider than the defaults' makespan comes from a few rounds with far
/// samples, and says nothing.
bool ClosingStage::is_open(const ComparedChoice& compared, const ComparedChoice& other) const {
  constexpr double widest = 1;
  const std::optional<Gain>& gain = compared.gain;
  return compared.choice == scope_.base() && scope_.base_is_far_shorter(other.choice) &&
         !shown_longer(compared.choice_paid, other.choice_paid) &&
         (gain ? gain->high >= (other.gain ? other.gain->low : 0) + ClosingContest::worthwhile ||
                     gain->high - gain->low > widest
               : contest_->running() && !ongoing_.stopped && record_.reference != Reference::first_feasible);
}

void ClosingStage::note_open() {
  if (open_ && open_->choice == record_.choice) {
    open_.reset();
  }
  ComparedChoice defaults;
  defaults.choice = scope_.defaults();
  defaults.choice_paid = contest_->result().reference_paid;
  if (is_open(record_, defaults)) {
    open_ = record_.compared();
  }
}

/// Of both, by their makespans: what the reference pays for may seem another in each comparison.
void ClosingStage::choose_better() {
  const double aside_ns = std::max(aside_->choice_makespan.centre_ns, aside_->choice_paid.centre_ns);
  const double shorter_by = 1 - record_.choice_makespan.centre_ns / aside_ns;
  const bool shorter = record_.gain && shorter_by > ClosingContest::worthwhile;
  if (shorter && !is_open(*aside_, record_)) {
    record_.reason = record_.reason + gain_over_reference(record_);
    record_.unsure = record_.unsure || aside_->unsure;
  } else if (is_open(record_, *aside_)) {
    choose_in_noise();
  } else {
    record_.compared() = *std::move(aside_);
    record_.unsure = record_.unsure || shorter;
  }
  aside_.reset();
  contest_->drop();
}

/// Of defaults that own times chose: what is next may be shorter, if it was when both were sampled again, if
/// their far samples are their own, or if it only seems longer.
bool ClosingStage::defaults_may_be_behind() const {
  const std::optional<SearchScope::Next> next = this->next();
  if (!next) {
    return false;
  }
  const bool is_behind_again =
      sampled_.size() == 2 && sampled_[0] > (1 + ClosingContest::worthwhile) * sampled_[1];
  if (next->longer_by_ns < 0 || is_behind_again) {
    return true;
  }
  const Makespans so_far = samples_.with(basis_.walk);
  const std::vector<double>& makespans = so_far.of(scope_.defaults());
  const Summary paid_for = so_far.paid_for(scope_.defaults());
  const bool is_behind = paid_for.centre_ns - paid_for.standard_error_ns >
                         (1 + ClosingContest::worthwhile) * (median(makespans) + next->longer_by_ns);
  const FarCost cost = far_cost(makespans, far_limit(makespans), so_far.machine_without(scope_.defaults()));
  return is_behind || (cost.judgement.cause != FarCause::machine &&
                       cost.near * cost.excess * cost.share.at_most() > next->longer_by_ns);
}

/// What is compared now stays, because own times speak for it, and is not kept.
void ClosingStage::choose_in_noise() {
  record_.reason = Why::own_times;
  if (record_.gain && record_.gain->low > 0) {
    record_.reason = record_.reason + gain_over_reference(record_);
  } else if (record_.gain) {
    record_.reason =
        Reason({.why = Why::own_times_in_noise, .gain = *record_.gain, .reference = record_.reference});
  }
  record_.unsure = true;
}

/// What has lost is out, and the next best takes its place. The reference comes back if nothing is left.
void ClosingStage::lose() {
  const Assignment reference = contest_->comparison().reference();
  note_open();
  record_.lost.push_back({record_.choice, *record_.gain, std::exchange(record_.unsure, false)});
  const std::optional<Assignment> next = next_candidate();
  record_.gain.reset();
  if (next && *next != reference) {
    record_.choice = *next;
    begin_closing();
  } else {
    give_back();
  }
}

/// The reference comes back, with what speaks for it: the candidate that was closest to a gain. Where nothing
/// has lost, own times do.
void ClosingStage::give_back() {
  SearchRecord& record = this->record();
  contest_->drop();
  if (open_ && !overall_) {
    record.compared() = *std::exchange(open_, std::nullopt);
    std::erase_if(record.lost, [&](const LostComparison& lost) { return lost.assignment == record.choice; });
    choose_in_noise();
    return;
  }
  if (record.lost.empty()) {
    const std::optional<Assignment> best = driver_.best();
    record.choice = best.value_or(scope_.base());
    record.reason = best ? driver_.reason() : Reason(Why::own_times);
    record.unsure = record.unsure || best.has_value();
    return;
  }
  const Gain& gain = std::max_element(record.lost.begin(), record.lost.end(),
                                      [](const LostComparison& a, const LostComparison& b) {
                                        return a.gain.centre < b.gain.centre;
                                      })
                         ->gain;
  const double margin = basis_.options.tie_margin;  // what is surely shorter, but by no more, ties as well
  const bool tie = gain.low > -margin && (gain.high < margin || (gain.low > 0 && gain.centre <= margin));
  const Why why = tie ? Why::tie_with_reference : gain.high < 0 ? Why::longer_than_reference : Why::noise;
  record.reason = Reason({.why = why, .gain = gain, .reference = record.reference});
  record.choice = record.compared_with;
  record.choice_makespan = record.reference_makespan;
  record.gain = Gain{};
}

/// The best that has not lost, or else what own times chose, with the defaults of all that is searched.
std::optional<Assignment> ClosingStage::next_candidate() {
  if (ongoing_.stopped || driver_.exists() == (claim_ == Claim::not_slower)) {
    return std::nullopt;
  }
  if (!driver_.exists()) {
    const auto next = contest_->affords(1) ? next_by_time() : std::nullopt;
    return next ? std::optional(next->assignment) : std::nullopt;
  }
  Assignment by_time = scope_.defaults();
  for (const std::size_t p : record_.by_time) {
    by_time[p] = scope_.base()[p];
  }
  by_time = basis_.choice_points.normal(std::move(by_time));
  const bool is_left = !scope_.compares_alternatives() && by_time != scope_.defaults() &&
                       std::none_of(record_.lost.begin(), record_.lost.end(),
                                    [&](const LostComparison& lost) {
                                      return lost.assignment == by_time && lost.gain.high < 0;
                                    }) &&
                       scope_.allowed(by_time);
  const int by_time_left = is_left ? 1 : 0;
  const int base_left = own_times_favor_base(scope_.defaults()) ? 1 : 0;
  if (contest_->affords(1 + base_left + by_time_left)) {
    driver_.lost(record_.choice);
    std::optional<Assignment> best = driver_.best();
    if (best && *best != scope_.defaults()) {
      record_.reason = driver_.reason();
      return best;
    }
  }
  if (base_left > 0 && contest_->affords(1 + by_time_left)) {
    record_.reason = Why::own_times;
    return scope_.base();
  }
  if (by_time_left == 0 || !contest_->affords(1)) {
    return std::nullopt;
  }
  claim_ = Claim::not_slower;
  record_.reason = Why::own_times;
  return by_time;
}

/// What may be shorter than what is chosen now: by own times, or of what the search has measured.
std::optional<SearchScope::Next> ClosingStage::next() const {
  return overall_ || aside_ ? std::nullopt : driver_.exists() ? next_measured() : next_by_time();
}

/// Of what own times put behind the choice. Other work may take longer beside the choice, so something is
/// expected to take its makespan in the walk if that is noticeably less than the choice takes, and less than
/// own times say.
std::optional<SearchScope::Next> ClosingStage::next_by_time() const {
  constexpr double noticeable = 1 - ClosingContest::worthwhile;
  const Makespans so_far = samples_.with(basis_.walk);
  const double choice_ns = so_far.paid_for(record_.choice).centre_ns;
  const double defaults_ns = median(so_far.of(scope_.defaults()));
  std::optional<SearchScope::Next> next;
  for (SearchScope::Next other : scope_.next_by_time()) {
    const double makespan_ns = median(so_far.of(other.assignment));
    const bool promises =
        makespan_ns > 0 && makespan_ns < noticeable * std::min(choice_ns, defaults_ns + other.longer_by_ns);
    other.longer_by_ns = promises ? makespan_ns - defaults_ns : other.longer_by_ns;
    if ((!next || (promises && other.longer_by_ns < next->longer_by_ns)) && !has_lost(other.assignment) &&
        other.assignment != record_.choice && scope_.allowed(other.assignment)) {
      next = other;
    }
  }
  return next;
}

/// By means of samples, far ones as they are likelier.
std::optional<SearchScope::Next> ClosingStage::next_measured() const {
  constexpr std::size_t enough_samples = 3;
  const Makespans so_far = samples_.with(basis_.walk);
  const Summary defaults = so_far.paid_for(scope_.defaults());
  std::optional<SearchScope::Next> next;
  for (const auto& [assignment, makespans] : so_far.all()) {
    const double mean_ns = so_far.paid_for(assignment).centre_ns;
    if (assignment != scope_.defaults() && assignment != record_.choice &&
        makespans.size() >= enough_samples && scope_.full(scope_.of_members(assignment)) == assignment &&
        scope_.allowed(assignment) && basis_.feasibility.proven(assignment) &&
        (!next || mean_ns < next->longer_by_ns)) {
      next = SearchScope::Next{assignment, mean_ns};
    }
  }
  if (!next || defaults.count == 0) {
    return std::nullopt;
  }
  next->longer_by_ns -= defaults.centre_ns;
  return next;
}

/// The last comparison of alternatives shows nothing of the defaults: what is chosen is compared with them
/// once more. Each step on the way to the choice was compared, so only a loss decides: where `feasible` or a
/// failure forbids combinations, a step is compared beside others than it ends beside.
void ClosingStage::begin_overall() {
  contest_.emplace(basis_.options.closing_rounds, 0);
  claim_ = Claim::not_slower;
  const bool last = scope_.compares_alternatives() && !basis_.choice_points.exploring();
  if (!last || record_.choice.empty() || record_.reference == Reference::defaults ||
      record_.choice == scope_.all_defaults()) {
    return;
  }
  overall_.emplace();
  for (const auto& [problem, by_makespan] : by_makespan_) {
    (by_makespan ? overall_->members : overall_->by_time).push_back(problem);
  }
  overall_->existing = 2;  // the choice and the reference
  overall_->choice = overall_->by_own_time = record_.choice;
  overall_->reason = Why::best_of_alternatives;
  begin_closing();
}

void ClosingStage::end_overall() {
  if (!contest_->running()) {
    overall_.reset();
    return;
  }
  overall_->cut = ongoing_.stopped ? record_.cut : Reason();
  const Verdict verdict = end_comparison();
  if (overall_->reference_makespan.count > 0) {
    overall_->measured = {{overall_->compared_with, overall_->reference_makespan},
                          {overall_->choice, overall_->choice_makespan}};
  }
  if (verdict == Verdict::lost) {
    overall_->lost.push_back({overall_->choice, *overall_->gain, std::exchange(overall_->unsure, false)});
    give_back();
    overall_->by_own_time = overall_->choice;  // alternatives have no own times
  } else if (overall_->gain) {
    overall_->reason = overall_->reason + gain_over_reference(*overall_);
  }
}

}  // namespace contextual::policy
