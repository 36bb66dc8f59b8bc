#include "contextual/tuning/tuning_run.hpp"

#include "contextual/agreement/coupled_members.hpp"
#include "contextual/agreement/joining.hpp"
#include "contextual/launch/exception_text.hpp"
#include "contextual/tuning/blocked_rank.hpp"

#include <contextual/error.hpp>

#include <set>
#include <utility>

namespace contextual::tuning {

using detail::BatchKind;
using detail::ProblemSlot;
using policy::RejectionOutcome;

namespace {

/// So often the region is run again because the final run rejected a choice.
constexpr int most_repeated_final_runs = 3;

std::unique_ptr<Timer> make_timer(const options::ResolvedOptions& options) {
  auto timer = options.timer();
  if (timer == nullptr) {
    throw InvalidArgument(
        "the timer factory of option `timer` returned null: it must make a timer for every run");
  }
  timer->set_iterations(options.iterations);
  return timer;
}

agreement::TimesCount times_count(const options::ResolvedOptions& options) {
  return options.times_count ? agreement::TimesCount::yes : agreement::TimesCount::only_where_no_others_do;
}

detail::Reuse reuse(const options::ResolvedOptions& options, Origin origin) {
  return options.always_tune            ? detail::Reuse::nothing
         : origin == Origin::later_call ? detail::Reuse::lasting_and_kept
                                        : detail::Reuse::lasting;
}

}  // namespace

TuningRun::TuningRun(const options::ResolvedOptions& options, std::string region, std::uint32_t region_id,
                     Origin origin, agreement::Exchange& exchange, Watchdog& watchdog,
                     record::Recorder& recorder)
    : options_(options),
      exchange_(exchange),
      recorder_(recorder),
      timer_(make_timer(options)),
      context_(std::move(region), region_id, *timer_, options.max_problems, reuse(options, origin),
               detail::namesakes_in(options.communicator->process_scope())),
      watch_(watch_of_run(watchdog, options, context_, recorder)),
      checks_(options, context_, problems_, watch_),
      problems_(policy_of(options)),
      preparation_(context_, problems_, watch_, continuation_),
      runner_(context_, options, watch_),
      agreement_(exchange, context_, problems_, times_count(options)),
      choice_publisher_(context_, recorder, origin),
      warnings_(context_, *timer_, options, recorder),
      continuation_(problems_) {
  watchdog.start();
}

TuningRun::~TuningRun() = default;

policy::PolicyOptions TuningRun::policy_of(const options::ResolvedOptions& options) {
  policy::PolicyOptions policy = options.policy;
  policy.feasible = [this](const Assignment& assignment) { return checks_.feasible(assignment); };
  context_.blame_assignments(policy.search != SearchLevel::off);
  context_.set_out_of_memory(options.is_out_of_memory);
  return policy;
}

void TuningRun::end_journal(const std::exception_ptr& thrown, bool kept) {
  RunEnd end = kept ? RunEnd::done : RunEnd::interrupted;
  try {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  } catch (const TuningFailedError&) {
    end = RunEnd::done;  // it would come again
  } catch (const DeviceError&) {
    end = batch_.launched ? RunEnd::in_flight : RunEnd::interrupted;
  } catch (...) {
    end = rank_lost_ ? RunEnd::rank_lost : RunEnd::interrupted;
  }
  if (agreement_.failed_by_device() && batch_.launched) {
    end = RunEnd::in_flight;
  }
  continuation_.end(end);
}

void TuningRun::execute(const std::function<void()>& region) {
  while (!finished_) {
    context_.begin_batch();
    do {
      plan();
    } while (!batch_.known && !prepare());
    if (!batch_.known) {
      run(region);
      agree();
    }
    observe();
    log();
    lock_in();
  }
  recorder_.work_ends();
}

bool TuningRun::allows_defaults() const {
  Assignment defaults;
  for (const ProblemSlot* slot : problems_.slots()) {
    defaults.push_back(slot->found.pinned_by.empty() ? 0 : slot->found.locked_config.value_or(0));
  }
  return checks_.feasible(defaults);
}

PairedTiming TuningRun::paired_timing() {
  context_.begin_batch();  // what the final run noted has been told
  return {options_, context_, watch_, exchange_, head_start_, [this](const std::exception_ptr& thrown) {
            recorder_.fails(failure_of(thrown), batch_.plan, ending());
          }};
}

/// Decides, like all other ranks.
void TuningRun::plan() {
  decide([this] {
    checks_.refresh();
    take_in_rejections();
  });
  throw_if_tuning_failed();
  decide([this] {
    plan_next(batch_, problems_, continuation_);
    if (!batch_.known) {
      preparation_.fix_views(batch_.plan);
      context_.rebuild_map();
    }
  });
  tell_notes();
}

void TuningRun::take_in_rejections() {
  for (const std::vector<RejectionOutcome>& found : continuation_.take_rejections()) {
    mark_rejected(found);
    problems_.state().reject(found);
  }
  if (continuation_.next() == nullptr && state().done()) {
    replace_quarantined_choices();
  }
}

/// The final run has ended the process twice with what was chosen: for one problem the second best takes its
/// place.
void TuningRun::replace_quarantined_choices() {
  policy::TuningState& state = problems_.state();
  for (bool replaced = true; replaced && state.done();) {
    const policy::IterationPlan planned = state.plan(1).front();
    const std::optional<std::string> reason = continuation_.quarantine_of(planned);
    const Assignment chosen = reason ? state.assignment_of(planned) : Assignment();
    replaced = false;
    for (std::size_t p = 0; p < chosen.size() && !replaced; ++p) {
      if (chosen[p] != 0) {
        mark_rejected({{p, chosen[p], 0, *reason}});
        replaced = state.reject_choice(p, chosen[p], *reason);
      }
    }
  }
}

void TuningRun::tell_notes() {
  recorder_.report().resumed_iterations = continuation_.iterations();
  for (const std::string& note : continuation_.take_notes()) {
    recorder_.warning(note);
  }
}

/// What this rank's part of a decision throws, for example a user's search, is told to the others.
void TuningRun::decide(const std::function<void()>& step) {
  try {
    step();
  } catch (...) {
    fail(std::current_exception());
    throw_failure();
  }
}

/// The failure is this rank's alone, whatever it is: the states of the others have decided. No launch is to
/// blame for it.
void TuningRun::fail(const std::exception_ptr& thrown) {
  batch_.result.failure = failure_before_launch(thrown);
  batch_.result.failure.tuning_failed = false;
}

/// Tells what `fail` has kept in the next exchange, to which the others come with their next batch.
void TuningRun::throw_failure() {
  if (!batch_.result.failure) {
    return;
  }
  if (finished_) {  // the others do not meet again
    std::rethrow_exception(batch_.result.failure.thrown);
  }
  recorder_.fails(batch_.result.failure, batch_.plan, ending());
  try {
    agreement_.tell(batch_.plan, batch_.result.failure);
  } catch (...) {
    rethrow();
  }
}

/// Returns false if the batch has to be planned again, because something could not be prepared.
bool TuningRun::prepare() {
  if (batch_.plan.kind == BatchKind::discovery) {
    preparation_.load_defaults();
    return true;
  }
  for (;;) {
    const Preparation::Result prepared = preparation_.prepare(batch_.plan);
    if (prepared.device_failure) {
      batch_.result.failure = failure_before_launch(prepared.device_failure);
    }
    // Where a head start is wanted, the ranks meet in any case, so that they begin at the same time.
    const auto rejected =
        meet_before_batch({prepared.everywhere || head_start_.count() > 0, prepared.rejections});
    continuation_.landed();
    reject(rejected);
    throw_if_tuning_failed();
    // Where the ranks did not meet, what failed here is told by the exchange after the batch.
    if (batch_.result.failure || (rejected.empty() && !prepared.more)) {
      return true;
    }
    if (!rejected.empty()) {
      return false;
    }
  }
}

/// Where the ranks meet before a batch, they also learn there what has failed so far.
std::vector<RejectionOutcome> TuningRun::meet_before_batch(
    const agreement::BatchAgreement::Preparing& prepared) {
  if (prepared.everywhere && batch_.result.failure) {
    recorder_.fails(batch_.result.failure, batch_.plan, ending());
  }
  try {
    return agreement_.agree_on_preparing(batch_.plan, prepared, batch_.result.failure);
  } catch (const CommunicationError&) {
    rank_lost_ = !batch_.result.failure;
    rethrow();
  } catch (...) {
    rethrow();
  }
}

void TuningRun::reject(const std::vector<RejectionOutcome>& rejections) {
  if (rejections.empty()) {
    return;
  }
  mark_rejected(rejections);
  decide([&] { problems_.state().reject(rejections); });
  continuation_.note_unprepared(rejections);
}

bool TuningRun::tuning_failed() const {
  return state().failed_problem() || !state().failure().empty();
}

/// The ranks meet once more, because one of them may have failed otherwise.
void TuningRun::throw_if_tuning_failed() {
  if (tuning_failed() || pin_failure_) {
    agreement_.agree_on_failed_tuning(batch_.plan, batch_.result.failure);
  }
  if (pin_failure_) {
    std::rethrow_exception(pin_failure_);
  }
  problems_.throw_if_failed(context_.region());
  problems_.throw_if_infeasible(context_.region());
}

void TuningRun::mark_rejected(const std::vector<RejectionOutcome>& rejections) {
  for (const RejectionOutcome& rejection : rejections) {
    ProblemSlot& slot = *problems_.slots()[rejection.problem];
    slot.launched.rejected[rejection.config_id].store(true, std::memory_order_release);
    recorder_.rejected(slot, rejection.config_id, rejection.reason, batch_.plan);
    if (slot.found.locked_config == rejection.config_id && !slot.found.pinned_by.empty()) {
      pin_failed(slot, rejection);
    }
  }
}

/// All ranks know of the rejection.
void TuningRun::pin_failed(const ProblemSlot& slot, const RejectionOutcome& rejection) {
  pin_failure_ = std::make_exception_ptr(
      InvalidArgument(slot.found.pinned_by + " pins kernel \"" + slot.problem.name + "\", key " +
                      slot.problem.key_text + ", to config-" + std::to_string(rejection.config_id) +
                      ", which cannot be launched: " + rejection.reason + "; change the file or remove it"));
}

/// The iterations of the batch, one right after the other, and then the settle.
void TuningRun::run(const std::function<void()>& region) {
  if (!batch_.result.failure) {
    checks_.begin(batch_.plan, batch_.result);
  }
  meet_before_batch({continuation_.take_off(batch_.plan.iterations), {}});
  if (batch_.result.failure) {  // then nothing is launched
    return;
  }
  batch_.launched = true;
  if (batch_.plan.kind != BatchKind::discovery) {
    timer_->begin_batch({std::chrono::steady_clock::now(), head_start_});
  }
  Assignment defaults;
  for (const ProblemSlot* slot : problems_.slots()) {
    defaults.push_back(slot->found.locked_config.value_or(0));
  }
  batch_.result = runner_.run(batch_.plan, defaults, region);
  batch_.result.elapsed_ns = recorder_.elapsed_ns() + continuation_.elapsed_ns();
  batch_.result.wanted_head_start = timer_->wanted_head_start();
  checks_.judge(batch_.plan, batch_.result);
}

/// What is said here means that results are worth nothing.
void TuningRun::end_checks(bool succeeded) {
  for (const std::string& note : checks_.end(batch_.plan, succeeded)) {
    context_.note(note);
    warnings_.tell_without_printing(note);
  }
}

void TuningRun::agree() {
  try {
    check_launches();
    if (batch_.result.failure) {
      // Before the exchange: the others may never come to it, and then nobody can say later what happened
      // here.
      recorder_.fails(batch_.result.failure, batch_.plan, ending());
    }
    if (batch_.plan.kind == BatchKind::final_run) {
      batch_.final_run = agreement_.agree_on_final_run(batch_.plan, batch_.result);
    } else {
      batch_.agreed = agreement_.agree(batch_.plan, batch_.result);
      head_start_ = batch_.agreed.head_start;
    }
  } catch (const CommunicationError&) {
    if (!batch_.result.failure && !batch_.result.out_of_memory.empty()) {
      // The others wait for this rank in the region: it is a failure like any other.
      batch_.result.failure = failure_of(batch_.result.out_of_memory.begin()->second);
      recorder_.fails(batch_.result.failure, batch_.plan, ending());
    }
    rank_lost_ = !batch_.result.failure;  // else others may wait for what this rank did not launch
    end_disagreed();
  } catch (...) {
    end_disagreed();
  }
  if (batch_.plan.kind == BatchKind::final_run || continuation_.next() != nullptr) {
    continuation_.landed();  // no record of the batch says so
  }
}

/// To be called from a catch block.
void TuningRun::end_disagreed() {
  recorder_.batch(batch_.plan, batch_.result, problems(), batch_.agreed.times);  // what this rank saw of it
  warnings_.tell_batch(batch_.plan, batch_.result);
  rethrow();
}

void TuningRun::check_launches() {
  try {
    if (!batch_.result.failure && batch_.result.out_of_memory.empty()) {
      agreement::check_coupled_members(context_);
    }
  } catch (...) {
    batch_.result.failure = failure_of(std::current_exception());
  }
}

/// To be called from a catch block. What this rank itself has thrown takes precedence over the communication
/// error that kept it from telling the others.
void TuningRun::rethrow() {
  if (!batch_.result.failure || agreement_.told()) {
    throw;
  }
  recorder_.warning("the other ranks could not be told of what failed on this one: " +
                    detail::exception_text(std::current_exception()));
  std::rethrow_exception(batch_.result.failure.thrown);
}

void TuningRun::observe() {
  try {
    if (batch_.plan.kind == BatchKind::final_run) {
      observe_final_run();
    } else {
      observe_batch();
    }
  } catch (...) {
    fail(std::current_exception());
  }
  const bool nothing_to_do = state().done() && !tuning_failed() && batch_.agreed.outcome.rejections.empty();
  if (batch_.plan.kind == BatchKind::discovery && nothing_to_do) {
    batch_.plan.kind = BatchKind::final_run;  // everything was locked in already: this was the final run
    batch_.plan.phases.front() = Phase::final_run;
    finished_ = true;
  }
}

void TuningRun::observe_batch() {
  const bool succeeded = batch_.agreed.outcome.rejections.empty() && !batch_.agreed.outcome.any_infeasible();
  const bool follows = continuation_.follows(batch_.whole_plan, batch_.joined_before, batch_.agreed.outcome);
  if (!follows) {
    batch_.whole_plan = batch_.plan.iterations;
  }
  context_.forgive_assignments();
  mark_rejected(batch_.agreed.outcome.rejections);
  problems_.state().observe(batch_.whole_plan, batch_.agreed.outcome);
  if (!follows) {
    continuation_.write(batch_.whole_plan, batch_.agreed.outcome, batch_.joined_before);
  }
  if (!batch_.known) {
    end_checks(succeeded);
    checks_.tell_failure(batch_.plan, batch_.agreed.outcome);
  }
}

/// A choice that fails now is out, and the second best takes its place.
void TuningRun::observe_final_run() {
  const bool again = batch_.final_run.rejected_anywhere && rejected_final_runs_ < most_repeated_final_runs;
  rejected_final_runs_ += batch_.final_run.rejected_anywhere ? 1 : 0;
  finished_ = !again;
  take_second_best(batch_.final_run.rejections, again);
  if (!batch_.final_run.wrong.empty()) {
    replace_wrong_choices();
  }
  end_checks(!batch_.final_run.rejected_anywhere);
}

/// No config is to blame by itself. In the end, the first assignment that was right takes the place of all.
void TuningRun::replace_wrong_choices() {
  const std::string reason = "the final run was wrong: " + batch_.final_run.wrong;
  recorder_.warning(reason);
  const bool last = rejected_final_runs_ >= most_repeated_final_runs;
  const bool replaced =
      !finished_ && problems_.state().reject_choices(reason, last ? policy::Replacement::first_that_was_right
                                                                  : policy::Replacement::next_best);
  if (!replaced && batch_.final_run.rejections.empty()) {
    finished_ = true;
    for (std::size_t p = 0; p < problems_.slots().size(); ++p) {
      problems_.state().make_provisional(p, reason);
    }
  }
}

/// Where the region is not run again, the problems' choices are those that this last run fell back to.
void TuningRun::take_second_best(const std::vector<RejectionOutcome>& rejections, bool again) {
  mark_rejected(rejections);
  std::set<std::size_t> replaced;  // a launch that fell back may reject more than the choice
  for (const RejectionOutcome& rejection : rejections) {
    if (problems_.state().reject_choice(rejection.problem, rejection.config_id, rejection.reason)) {
      replaced.insert(rejection.problem);
    }
  }
  for (const std::size_t problem : replaced) {
    if (!again) {
      problems_.state().make_provisional(
          problem, "its choices were rejected by " + std::to_string(rejected_final_runs_) + " final runs");
    }
  }
}

void TuningRun::log() {
  if (batch_.known) {
    return;  // it is in the log of the process that ran it
  }
  recorder_.batch(batch_.plan, batch_.result, problems(), batch_.agreed.times);
  recorder_.note_timelines(batch_.plan, batch_.result, problems(), batch_.agreed.outcome);
  warnings_.tell_batch(batch_.plan, batch_.result);
  recorder_.searches(state(), problems());
}

void TuningRun::lock_in() {
  throw_failure();
  throw_if_tuning_failed();
  choice_publisher_.publish(problems_);
  // A search says how much is left, and the user's callback gets to know it.
  if (!batch_.known) {
    decide([this] { recorder_.progress(state(), batch_.plan.phase(), choice_publisher_.open_count()); });
  }
  tell_notes();
  if (finished_) {
    // Where all ranks have launched alike, there is nothing that one of them uses alone.
    choice_publisher_.note_who_uses(launched_alike() ? agreement::LaunchedKernels() : launched(),
                                    exchange_.rank());
    recorder_.timelines(problems());
    warnings_.tell_end(unjoined_count());
  }
}

std::size_t TuningRun::unjoined_count() const {
  return context_.slots().size() - problems_.slots().size();
}

bool TuningRun::nothing_left() const noexcept {
  return finished_ && choice_publisher_.lasting() && context_.untracked_launches() == 0 &&
         unjoined_count() == 0;
}

std::vector<record::ProblemView> TuningRun::problems() const {
  std::vector<record::ProblemView> views;
  views.reserve(context_.slots().size());
  for (const ProblemSlot& slot : context_.slots()) {
    views.push_back({&slot, problems_.record_of(slot), problems_.index_of(slot)});
  }
  return views;
}

record::Ending TuningRun::ending() const {
  return {record::stage_of(phase()), context_.tuning_iteration, &state(), problems()};
}

}  // namespace contextual::tuning
