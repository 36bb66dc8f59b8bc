#include "contextual/policy/problem_state.hpp"

#include "contextual/policy/far_values.hpp"
#include "contextual/policy/search_request.hpp"
#include "contextual/policy/statistics.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <utility>

namespace contextual::policy {
namespace {

constexpr double negligible_share = 0.01;  ///< of the makespan

std::optional<std::int64_t> valid(std::optional<std::int64_t> time_ns) {
  return time_ns && *time_ns > 0 ? time_ns : std::nullopt;
}

/// By more than this and the noise, in all samples but far ones of the other.
bool surely_longer(const std::vector<std::int64_t>& rests_ns, const std::vector<std::int64_t>& other_ns,
                   double by_ns) {
  constexpr double errors = 3;
  const Comparison longer = compare(summarize(rests_ns), summarize(other_ns));
  return !longer.overlap && longer.slower_by_ns > std::max(by_ns, errors * longer.error_ns);
}

/// Returns why the earlier choice was made, and names it if the choice is another one now.
Reason earlier_reason(Why when, std::size_t earlier, std::size_t choice, const Reason& reason) {
  return (earlier == choice ? Reason(when) : Reason({.why = when, .config_id = earlier})) + reason;
}

}  // namespace

ProblemState::ProblemState(const ProblemRequest& request, const PolicyOptions& options)
    : options_(&options), request_(request) {
  check_request(request);
  record_.configs.resize(request.config_count);
  record_.warmups = options.n_warmup;
  record_.repeats = options.n_repeat;
  own_times_.resize(request.config_count);
  const std::vector<bool> left_out = left_out_of(request);
  for (std::size_t config = 0; config < left_out.size(); ++config) {
    record_.configs[config].left_out = left_out[config];
    viable_count_ += left_out[config] ? 0 : 1;
  }
  // Where nothing else is a candidate, refinements are like any other config.
  const auto first_refinement = left_out.end() - static_cast<std::ptrdiff_t>(request.refinement_count);
  const bool refines = std::find(left_out.begin(), first_refinement, false) != first_refinement;
  coarse_count_ = request.config_count - (refines ? request.refinement_count : 0);
  if (request.locked_config) {
    record_.status = ProblemStatus::locked_in;
    record_.choice = *request.locked_config;
    record_.reason = Why::locked_in_earlier;
    return;
  }
  begin();
}

/// The alternatives of a choice point have to be tuned before they can be measured.
void ProblemState::begin() {
  if (!request_.choice_point) {
    begin_walk();
    return;
  }
  record_.status = ProblemStatus::exploring;
  choose_by_own_time(1);  // nothing has been measured: the first one
  settle_status();
}

void ProblemState::compare_alternatives(Comparison comparison) {
  if (comparison == Comparison::by_walk) {
    begin_walk();
    return;
  }
  record_.status = ProblemStatus::walked;
  if (!viable(record_.choice)) {
    hold(0);
    while (!viable(record_.choice)) {
      hold(record_.choice + 1);
    }
  }
}

/// Makes a walk that only orients the search as short as that may be. What has samples already is not
/// repeated. Returns false if nothing is to be walked.
bool ProblemState::orient(std::vector<bool>& left_out) {
  const auto count = static_cast<std::size_t>(std::count(left_out.begin(), left_out.end(), false));
  const int uses = orienting_uses(*options_, count);
  if (uses == 0) {
    return false;
  }
  record_.warmups = std::min(options_->n_warmup, uses - 1);
  record_.repeats = uses - record_.warmups;
  for (std::size_t config = 0; config < left_out.size(); ++config) {
    left_out[config] = left_out[config] || complete(config) || unmeasured_.contains(config);
  }
  return std::find(left_out.begin(), left_out.end(), false) != left_out.end();
}

void ProblemState::begin_walk() {
  std::vector<bool> left_out;
  for (std::size_t config = 0; config < record_.configs.size(); ++config) {
    left_out.push_back(record_.configs[config].left_out || is_refinement(config));
  }
  record_.status = ProblemStatus::walking;
  if (orients_ && !orient(left_out)) {
    end_walk();
    return;
  }
  for (std::size_t config = 0; config < record_.configs.size(); ++config) {
    left_out[config] = left_out[config] || record_.configs[config].rejection;
  }
  walk_.emplace(options_->search == SearchLevel::quick ? Walk::Order::race : Walk::Order::table, left_out,
                record_.warmups, record_.repeats);
  choose_by_own_time(record_.repeats);
  settle_status();
}

/// The walk has all of its samples.
bool ProblemState::complete(std::size_t config_id) const {
  return own_times_[config_id].count >= static_cast<std::size_t>(record_.repeats);
}

bool ProblemState::viable(std::size_t config_id) const {
  const ConfigRecord& config = record_.configs[config_id];
  return !config.left_out && !config.rejection;
}

bool ProblemState::left_unmeasured() const {
  return std::any_of(unmeasured_.begin(), unmeasured_.end(), [this](std::size_t id) { return viable(id); });
}

std::vector<Step> ProblemState::plan(std::size_t max_steps) const {
  return walking() ? walk_->plan(max_steps) : std::vector<Step>();
}

ProblemState::Taken ProblemState::observe(std::size_t config_id, const CellOutcome& outcome,
                                          std::optional<std::int64_t> makespan_ns,
                                          std::optional<std::int64_t> rest_ns) {
  note_context(outcome, valid(makespan_ns));
  const std::vector<Step> due = plan(1);
  if (due.empty() || !outcome.launched || !viable(config_id) || unmeasured_.contains(config_id)) {
    return Taken::nothing;
  }
  if (due.front().config_id != config_id) {
    return complete(config_id) ? Taken::nothing : Taken::displaced;
  }
  const std::optional<std::int64_t> time_ns = valid(outcome.time_ns);
  if (outcome.only_launches && makespan_ns && rest_ns && time_ns && !due.front().warmup) {
    rests_[config_id].push_back({*rest_ns, *makespan_ns - *rest_ns});
  }
  return take(due.front(), time_ns, valid(makespan_ns), outcome.disturbed);
}

/// Problems that run alone do not need a search by makespan; those that hardly take any time are not worth
/// one.
bool ProblemState::worth_a_search() const {
  return (overlaps_ || rest_speaks_against_choice()) && share() >= negligible_share;
}

/// Where only launches are seen, other work may run between them. It is part of every makespan; but where it
/// takes longer beside the choice than beside another config, beyond the noise, own times say too little. If
/// it takes longer beside a config with a longer own time, as where ranks share a core, both say the same.
/// Own times that add up to far more than the makespan say too little, too: a launch then waits for another
/// one.
bool ProblemState::rest_speaks_against_choice() const {
  constexpr double noticeable = 0.01;     // of the makespan
  constexpr double counted_twice = -0.1;  // of the makespan
  double makespan_ns = 0;
  const std::vector<std::int64_t> of_choice = rests_beside(record_.choice);
  double longest_ns = summarize(of_choice).centre_ns;
  double own_ns = 0;  // the longest; what is longer than the makespan by itself was timed otherwise
  for (const auto& [config, runs] : rests_) {
    own_ns = std::max(own_ns, own_times_[config].centre_ns);
    const double makespan = summarize(record_.configs[config].makespans_ns).centre_ns;
    makespan_ns = makespan_ns > 0 ? std::min(makespan_ns, makespan) : makespan;
    longest_ns = std::max(longest_ns, summarize(rests_beside(config)).centre_ns);
  }
  return (own_ns <= makespan_ns && longest_ns < counted_twice * makespan_ns) ||
         std::any_of(rests_.begin(), rests_.end(), [&](const auto& of_config) {
           return surely_longer(of_choice, rests_beside(of_config.first), noticeable * makespan_ns);
         });
}

/// Without runs in which launches were stalled: what runs beside them then had their time, too.
std::vector<std::int64_t> ProblemState::rests_beside(std::size_t config_id) const {
  std::vector<std::int64_t> rests_ns;
  if (const auto runs = rests_.find(config_id); runs != rests_.end()) {
    std::vector<double> own_ns;
    for (const Rest& run : runs->second) {
      own_ns.push_back(static_cast<double>(run.own_ns));
    }
    const double limit = far_limit(own_ns);
    for (const Rest& run : runs->second) {
      if (static_cast<double>(run.own_ns) <= limit) {
        rests_ns.push_back(run.ns);
      }
    }
  }
  return rests_ns;
}

/// The own time of a problem that will be searched does not tell much, so the runs are the search's. Where no
/// makespan is known, there is nothing else to go by.
void ProblemState::note_context(const CellOutcome& outcome, std::optional<std::int64_t> makespan_ns) {
  if (!outcome.launched) {
    return;
  }
  overlaps_ = overlaps_ || outcome.overlaps;
  const std::optional<std::int64_t> time_ns = valid(outcome.time_ns);
  if (time_ns && makespan_ns) {
    share_ = std::max(share_, static_cast<double>(*time_ns) / static_cast<double>(*makespan_ns));
  }
  const bool by_makespan = overlaps_ && share() >= negligible_share && makespan_ns;
  if (walking() && by_makespan && !orients_ && options_->search != SearchLevel::off) {
    orients_ = true;
    begin_walk();
  }
}

ProblemState::Taken ProblemState::take(const Step& step, std::optional<std::int64_t> time_ns,
                                       std::optional<std::int64_t> makespan_ns, bool disturbed) {
  walk_->observe(step, time_ns);
  ++record_.walk_iterations;
  ConfigRecord& config = record_.configs[step.config_id];
  if (!step.warmup && time_ns) {
    config.samples_ns.push_back(*time_ns);
    if (makespan_ns) {
      config.makespans_ns.push_back(*makespan_ns);
    }
    own_times_[step.config_id] = summarize(config.samples_ns);
    if (complete(step.config_id)) {
      choose_by_own_time(record_.repeats);
    }
  }
  const bool stays_due = !time_ns && !step.warmup;
  const bool gone = stays_due && !disturbed && retaken_too_often(step.config_id);
  settle_status();
  return gone ? Taken::no_time : stays_due ? Taken::retake : Taken::step;
}

bool ProblemState::retaken_too_often(std::size_t config_id) {
  return ++record_.configs[config_id].retakes > options_->retake_limit;
}

void ProblemState::note_presence(Presence presence) {
  batches_absent_ = presence == Presence::launched ? 0 : batches_absent_ + 1;
  if (open() && batches_absent_ >= options_->absent_batches) {
    close(Reason({.why = Why::absent, .count = batches_absent_}));
  }
}

bool ProblemState::unwalked() const {
  return !walk_ && (exploring() || record_.status == ProblemStatus::locked_in);
}

bool ProblemState::leave_out_default() {
  if (!viable(0) || viable_count_ == 1) {
    return false;
  }
  record_.configs[0].left_out = true;
  --viable_count_;
  const bool measured = !unwalked() && !(walked() && by_own_time().empty());
  if (!measured && record_.choice == 0) {
    begin();
  } else {
    choose_without(0, {.why = Why::rejected_after_choice, .config_id = 0});
  }
  return true;
}

void ProblemState::reject(std::size_t config_id, const Reason& reason) {
  ConfigRecord& config = record_.configs[config_id];
  const std::size_t others = viable_count_ - (viable(config_id) ? 1 : 0);
  if (unwalked() && record_.choice == config_id && !config.rejection && others > 0) {
    config.rejection = reason;
    viable_count_ = others;
    begin();  // nothing else has been measured
    return;
  }
  reject(config_id, reason, {.why = Why::rejected_after_choice, .config_id = config_id});
}

void ProblemState::reject_in_final_run(const RejectionOutcome& rejection) {
  reject(rejection.config_id, told(rejection.reason, rejection.ranks),
         {.why = Why::rejected_in_final_run, .config_id = rejection.config_id, .words = rejection.reason});
  settle_replacement();
}

void ProblemState::leave_out_in_final_run(const std::string& words) {
  if (viable(0)) {
    record_.configs[0].left_out = true;
    --viable_count_;
    choose_without(0, {.why = Why::rejected_in_final_run, .config_id = 0, .words = words});
    settle_replacement();
  }
}

/// What takes the place of a choice that was not measured was not measured either.
void ProblemState::settle_replacement() {
  if (!walk_ && record_.status == ProblemStatus::locked_in) {
    make_provisional(Why::nothing_else_measured);
  }
}

/// If it is the choice, `when_chosen` begins the reason of what takes its place.
void ProblemState::reject(std::size_t config_id, const Reason& reason, const ReasonPart& when_chosen) {
  ConfigRecord& config = record_.configs[config_id];
  if (config.rejection) {
    return;
  }
  config.rejection = reason;
  viable_count_ -= config.left_out ? 0 : 1;
  choose_without(config_id, when_chosen);
}

/// The config is no candidate any more.
void ProblemState::choose_without(std::size_t config_id, const ReasonPart& when_chosen) {
  if (walk_) {
    walk_->reject(config_id);
  }
  const bool readmitted = readmit_slow();
  if (readmitted && (walking() || walked())) {
    begin_walk();
    return;
  }
  if (walking()) {
    choose_by_own_time(record_.repeats);
  } else if (!exploring() && record_.choice == config_id) {
    choose_after_walk();
    record_.reason = when_chosen + record_.reason;
    if (!viable(record_.choice)) {  // a default that is no candidate
      make_provisional(viable_count_ == 0 ? Why::every_candidate_rejected : Why::no_candidate_measured);
    } else if (readmitted) {
      make_provisional(Why::only_slow_left);
    }
  }
  settle_status();
}

void ProblemState::leave_unmeasured(std::size_t config_id) {
  if (!walking() || !viable(config_id)) {
    return;
  }
  ConfigRecord& config = record_.configs[config_id];
  config.samples_ns.clear();
  config.makespans_ns.clear();
  own_times_[config_id] = {};
  rests_.erase(config_id);
  unmeasured_.insert(config_id);
  walk_->reject(config_id);
  choose_by_own_time(record_.repeats);
  settle_status();
}

bool ProblemState::begins(std::size_t config_id) const {
  const std::vector<Step> due = plan(1);
  return !due.empty() && due.front().config_id == config_id && due.front().iteration == 0 &&
         viable(config_id) && !unmeasured_.contains(config_id);
}

bool ProblemState::is_far_longer(std::int64_t first_run_ns) {
  const std::int64_t shortest = shortest_first_run_ns_.value_or(first_run_ns);
  shortest_first_run_ns_ = std::min(shortest, first_run_ns);
  return far_longer(first_run_ns, shortest);
}

void ProblemState::reject_slow(std::size_t config_id, const Reason& reason) {
  if (walking() && viable(config_id) && viable_count_ > 1) {
    slow_.insert(config_id);
    reject(config_id, reason);
  }
}

/// Where every other candidate is rejected. Returns false if there is none whose first runs were slow.
bool ProblemState::readmit_slow() {
  if (viable_count_ > 0 || slow_.empty()) {
    return false;
  }
  for (const std::size_t config_id : std::exchange(slow_, {})) {
    record_.configs[config_id].rejection.reset();
    ++viable_count_;
  }
  shortest_first_run_ns_.reset();
  return true;
}

/// Called after every change: all configs may be out, or the walk may be over.
void ProblemState::settle_status() {
  const bool has_fallback = record_.configs[0].left_out && !record_.configs[0].rejection;
  if (viable_count_ == 0 && !has_fallback) {
    record_.status = ProblemStatus::failed;
    record_.choice = 0;
    record_.reason = Why::every_config_rejected;
  } else if (exploring() && viable_count_ == 0) {
    make_provisional(Why::every_candidate_rejected);
  } else if (walking() && walk_->plan(1).empty()) {
    end_walk();
  }
}

/// Where every other config is rejected, refinements are walked like these. Returns false if there is none.
bool ProblemState::walk_refinements() {
  const auto any_viable = [this](std::size_t begin, std::size_t end) {
    for (std::size_t config = begin; config < end; ++config) {
      if (viable(config)) {
        return true;
      }
    }
    return false;
  };
  if (any_viable(0, coarse_count_) || !any_viable(coarse_count_, record_.configs.size())) {
    return false;
  }
  coarse_count_ = record_.configs.size();
  begin_walk();
  return true;
}

void ProblemState::end_walk() {
  if (walk_refinements()) {
    return;
  }
  choose_after_walk();
  walk_choice_ = record_.choice;
  walk_reason_ = record_.reason;
  record_.status = ProblemStatus::walked;
  if (viable_count_ == 0) {
    make_provisional(Why::every_candidate_rejected);
  } else if (options_->search == SearchLevel::off) {
    lock_in(Evidence::own_time);
  }
}

void ProblemState::close(const Reason& reason) {
  if (open()) {
    make_provisional(Why::closed_early + reason);
  }
}

void ProblemState::make_provisional(const Reason& reason) {
  if (record_.status == ProblemStatus::failed) {
    return;
  }
  if (walking() || exploring()) {
    choose_by_own_time(1);
  }
  record_.status = ProblemStatus::provisional;
  record_.reason = record_.reason + Why::provisional + reason;
}

void ProblemState::choose(std::size_t config_id, const Reason& reason) {
  if (exploring()) {
    hold(config_id);
  } else if (walked()) {
    record_.choice = config_id;
    record_.reason = Why::by_search + reason;
    if (!walk_reason_.empty()) {
      record_.reason = record_.reason + earlier_reason(Why::by_walk, walk_choice_, config_id, walk_reason_);
    }
  }
}

void ProblemState::lock_in(Evidence evidence) {
  if (!walked()) {
    return;
  }
  record_.status = ProblemStatus::locked_in;
  if (record_.configs[record_.choice].left_out) {
    make_provisional(Why::no_candidate_measured);
  } else if (evidence == Evidence::own_time && entrants(1).empty() &&
             !(request_.choice_point && viable_count_ == 1)) {
    make_provisional(Why::no_samples);
  }
}

void ProblemState::replace_choice(std::size_t config_id, const Reason& reason) {
  const std::size_t before = std::exchange(record_.choice, config_id);
  record_.reason = reason + earlier_reason(Why::before, before, config_id, record_.reason);
}

std::vector<std::size_t> ProblemState::by_own_time() const {
  std::vector<Entrant> measured = entrants(1);
  std::stable_sort(measured.begin(), measured.end(), [](const Entrant& a, const Entrant& b) {
    return a.summary.centre_ns < b.summary.centre_ns;
  });
  std::vector<std::size_t> configs;
  configs.reserve(measured.size());
  for (const Entrant& entrant : measured) {
    configs.push_back(entrant.config_id);
  }
  return configs;
}

std::optional<std::size_t> ProblemState::best_so_far() const {
  std::size_t best = record_.choice;
  if (walking()) {
    const std::optional<Selection> selected = select(entrants(record_.repeats), options_->tie_margin);
    best = selected ? selected->config_id : 0;
  }
  return best != 0 && viable(best) ? std::optional(best) : std::nullopt;
}

void ProblemState::choose_by_own_time(int min_samples) {
  if (const std::optional<Selection> selected = select(entrants(min_samples), options_->tie_margin)) {
    record_.choice = selected->config_id;
    record_.reason = selected->reason;
    return;
  }
  std::size_t first = 0;
  if (record_.configs[0].rejection) {  // a default that is only left out can still be launched
    while (first + 1 < record_.configs.size() && !viable(first)) {
      ++first;
    }
  }
  record_.choice = first;
  record_.reason = first == 0 ? Why::default_without_times : Why::first_left_without_times;
}

/// Complete configs only, unless a race was over before one was.
void ProblemState::choose_after_walk() {
  choose_by_own_time(entrants(record_.repeats).empty() ? 1 : record_.repeats);
}

std::vector<Entrant> ProblemState::entrants(int min_samples) const {
  std::vector<Entrant> measured;
  for (std::size_t config = 0; config < record_.configs.size(); ++config) {
    if (viable(config) && own_times_[config].count >= static_cast<std::size_t>(min_samples)) {
      measured.push_back({config, own_times_[config]});
    }
  }
  return measured;
}

}  // namespace contextual::policy
