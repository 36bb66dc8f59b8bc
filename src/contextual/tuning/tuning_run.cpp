#include "contextual/tuning/tuning_run.hpp"

#include "contextual/agreement/joining.hpp"
#include "contextual/launch/exception_text.hpp"
#include "contextual/record/make_events.hpp"
#include "contextual/tuning/blocked_rank.hpp"

#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>

#include <utility>

namespace contextual::tuning {

using detail::BatchKind;

namespace {

/// Puts the next batch, as the state plans it, in the place of the last one. If that throws, `batch` is the
/// next one, but not planned to the end.
void plan_next(Batch& batch, const agreement::ProblemSet& problems, const Continuation& continuation) {
  const policy::TuningState& state = problems.state();
  const Phase before = batch.plan.phase();
  batch = {};
  batch.joined_before = problems.slots().size();
  batch.plan.phases = {before};
  batch.plan.first_iteration = state.iterations();
  batch.plan.kind = state.done()              ? BatchKind::final_run
                    : state.iterations() == 0 ? BatchKind::discovery
                                              : BatchKind::tuning;
  std::vector<policy::IterationPlan>& plan = batch.plan.iterations;
  plan = state.plan(batch.plan.kind == BatchKind::tuning ? state.suggested_length() : 1);
  if (const std::size_t length = continuation.length_of(plan); length < plan.size()) {
    plan = state.plan(length);
  }
  batch.plan.phases.clear();
  for (const policy::IterationPlan& iteration : plan) {
    batch.plan.phases.push_back(iteration.phase);
  }
}

/// May wait for whatever this process runs on its devices.
std::unique_ptr<Timer> make_timer(const options::ResolvedOptions& options, const Watchdog::Watch& watch) {
  const Watchdog::Section section(watch, {Activity::prepare, Phase::walk, 0});
  auto timer = options.timer();
  if (timer == nullptr) {
    throw InvalidArgument(
        "the timer factory of option `timer` returned null: it must make a timer for every run");
  }
  timer->set_iterations(options.iterations);
  return timer;
}

detail::Reuse reuse(const options::ResolvedOptions& options, Origin origin) {
  return options.always_tune            ? detail::Reuse::nothing
         : origin == Origin::later_call ? detail::Reuse::lasting_and_kept
                                        : detail::Reuse::lasting;
}

}  // namespace

TuningRun::TuningRun(const options::ResolvedOptions& options, std::string region, std::uint32_t region_id,
                     Origin origin, agreement::Exchange& exchange, const Watchdog::Watch& watch,
                     record::Recorder& recorder)
    : options_(options),
      exchange_(exchange),
      recorder_(recorder),
      timer_(make_timer(options, watch)),
      context_(std::move(region), region_id, *timer_, reuse(options, origin),
               detail::namesakes_in(options.communicator->process_scope())),
      watch_(watch_of_run(*watch.watchdog, options, context_, recorder)),
      checks_(options, context_, problems_, watch_),
      problems_(policy_of(options)),
      rejected_(problems_, recorder),
      preparation_(context_, problems_, watch_, continuation_),
      runner_(context_, options, watch_),
      agreement_(exchange, context_, problems_),
      choice_publisher_(context_, recorder, options.policy.search),
      warnings_(context_, options, recorder),
      continuation_(problems_, recorder, options.cache_directory) {
  watch.watchdog->start();
}

TuningRun::~TuningRun() {
  preparation_.keep_chosen();  // before the timer gives back what was tried
  end_timer();
}

/// It may wait for the devices.
void TuningRun::end_timer() noexcept {
  const Phase phase = batch_.plan.phases.empty() ? Phase::walk : batch_.plan.phase();
  const Watchdog::Section section(watch_, {Activity::settle, phase, batch_.plan.first_iteration});
  timer_.reset();
}

/// The substitute is made first, since launches and warnings ask for a timer at any time.
void TuningRun::give_way() {
  std::unique_ptr<Timer> substitute;
  {
    const Watchdog::Section section(watch_, {Activity::prepare, Phase::walk, 0});
    substitute = timer_->make_substitute();
    substitute->set_iterations(options_.iterations);
  }
  context_.set_timer(*substitute);
  end_timer();
  timer_ = std::move(substitute);
}

policy::PolicyOptions TuningRun::policy_of(const options::ResolvedOptions& options) {
  policy::PolicyOptions policy = options.policy;
  policy.feasible = [this](const Assignment& assignment) { return checks_.feasible(assignment); };
  const Communicator& ranks = *options.communicator;
  context_.go_by({policy.search, ranks.size() > 1 ? ranks.rank() : -1, options.exceptions_reject,
                  options.is_out_of_memory});
  return policy;
}

void TuningRun::end_journal(const std::exception_ptr& thrown, bool kept) {
  JournalEnd end = kept && !thrown ? JournalEnd::done : JournalEnd::interrupted;
  bool by_device = agreement_.failed_by_device();
  try {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  } catch (const TuningFailedError&) {
    end = JournalEnd::done;  // it would come again
  } catch (const DeviceError&) {
    by_device = true;
  } catch (const CommunicationError&) {
    // Where this rank has failed, the others may wait for what it did not launch.
    end = batch_.result.failure ? JournalEnd::interrupted : JournalEnd::rank_lost;
  } catch (...) {  // of the region: interrupted
  }
  continuation_.end(by_device && batch_.launched ? JournalEnd::device_failed : end);
}

void TuningRun::execute(const std::function<void()>& region) {
  while (!finished_) {
    context_.begin_batch();
    do {
      plan();
    } while (!prepare());
    run(region);
    agree();
    observe();
    log();
    lock_in();
  }
  recorder_.work_ends();
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
    do {
      plan_next(batch_, problems_, continuation_);
    } while (answered());
    preparation_.fix_views(batch_.plan);
    context_.rebuild_map();
  });
  throw_if_tuning_failed();
}

/// Returns true if the batch is not to be run, and another one is to be planned.
bool TuningRun::answered() {
  const auto rejections = continuation_.answer(batch_.plan.iterations);
  if (rejections) {
    rejected_.mark(*rejections, batch_.plan);
    choice_publisher_.publish(problems_);
  }
  return rejections && !rejected_.end_run();
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

/// Before an exchange: the others may never come to it, and then nobody can say later what happened here.
void TuningRun::log_failure() {
  if (batch_.result.failure) {
    recorder_.fails(batch_.result.failure, batch_.plan, ending());
  }
}

/// Tells what `fail` has kept in the next exchange, to which the others come with their next batch.
void TuningRun::throw_failure() {
  if (!batch_.result.failure) {
    return;
  }
  if (finished_) {  // the others do not meet again
    std::rethrow_exception(batch_.result.failure.thrown);
  }
  log_failure();
  try {
    agreement_.tell(batch_.plan, batch_.result.failure);
  } catch (...) {
    rethrow();
  }
}

/// Returns false if there is more to prepare, or the batch has to be planned again because something could
/// not be prepared.
bool TuningRun::prepare() {
  if (batch_.plan.kind == BatchKind::discovery) {
    preparation_.load_defaults();
    return true;
  }
  const Preparation::Result prepared = preparation_.prepare(batch_.plan);
  for (const Preparation::Remark& remark : prepared.remarks) {
    recorder_.remark(remark.config, remark.text);
  }
  if (prepared.device_failure) {
    batch_.result.failure = failure_before_launch(prepared.device_failure);
  }
  // Where a head start is wanted, the ranks meet in any case, so that they begin at the same time.
  const auto rejected =
      meet_before_batch({prepared.everywhere || head_start_.count() > 0, prepared.rejections});
  continuation_.came_back();
  if (!rejected.empty()) {
    rejected_.mark(rejected, batch_.plan);
    decide([&] { continuation_.reject(batch_.plan.iterations, rejected); });
  }
  throw_if_tuning_failed();
  // Where the ranks did not meet, what failed here is told by the exchange after the batch.
  return batch_.result.failure || (rejected.empty() && !prepared.more);
}

/// Where the ranks meet before a batch, they also learn there what has failed so far.
std::vector<policy::RejectionOutcome> TuningRun::meet_before_batch(
    const agreement::BatchAgreement::Preparing& prepared) {
  if (prepared.everywhere) {
    log_failure();
  }
  try {
    return agreement_.agree_on_preparing(batch_.plan, prepared, batch_.result.failure);
  } catch (...) {
    rethrow();
  }
}

/// The ranks meet once more, because one of them may have failed otherwise.
void TuningRun::throw_if_tuning_failed() {
  if (rejected_.end_run()) {
    agreement_.agree_on_failed_tuning(batch_.plan, batch_.result.failure);
    rejected_.throw_end_of_run(context_.region());
  }
}

/// The iterations of the batch, one right after the other, and then the settle.
void TuningRun::run(const std::function<void()>& region) {
  if (!batch_.result.failure) {
    checks_.find_room(batch_.plan, batch_.result);
  }
  // Memory for copies is needed where something is new. One rank may have none, and the others would wait for
  // it in the region.
  const std::size_t count = problems_.slots().size();
  const bool needs_room = copies_anywhere_ && std::exchange(met_with_, count) != count;
  meet_before_batch({continuation_.about_to_run(batch_.plan.iterations) || needs_room, {}});
  if (!batch_.result.failure) {
    checks_.begin(batch_.plan, batch_.result);
  }
  if (batch_.result.failure) {  // then nothing is launched
    return;
  }
  batch_.launched = true;
  batch_.result = runner_.run(batch_.plan, problems_.found_locked_in(), head_start_, region);
  batch_.result.elapsed_ns = recorder_.elapsed_ns();
  checks_.judge(batch_.plan, batch_.result);
}

void TuningRun::agree() {
  try {
    check_launches();
    name_rejections();
    log_failure();
    if (batch_.plan.kind == BatchKind::final_run) {
      batch_.final_run = agreement_.agree_on_final_run(batch_.plan, batch_.result, checks_.outputs_repeat());
    } else {
      batch_.agreed = agreement_.agree(batch_.plan, batch_.result);
      head_start_ = batch_.agreed.head_start;
    }
  } catch (const CommunicationError&) {
    if (!batch_.result.failure && !batch_.result.out_of_memory.empty()) {
      // The others wait for this rank in the region: it is a failure like any other.
      batch_.result.failure = failure_of(batch_.result.out_of_memory.begin()->second);
      log_failure();
    }
    end_disagreed();
  } catch (...) {
    end_disagreed();
  }
}

/// To be called from a catch block.
void TuningRun::end_disagreed() {
  recorder_.batch(batch_.plan, batch_.result, problems(), batch_.agreed.times);  // what this rank saw of it
  warnings_.tell_batch(batch_.plan, batch_.result);
  if (!batch_.result.failure) {  // which names them
    const std::vector<std::string> rejections = rejections_of_batch(context_);
    warnings_.tell_of_results(rejections);
    for (const std::string& rejection : rejections) {
      if (exchange_.rank() != 0) {  // this rank's alone, and it may be the last that is heard of it
        detail::warn_once("region \"" + context_.region() + "\": " + rejection);
      }
    }
  }
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

void TuningRun::name_rejections() {
  detail::BatchFailure& failure = batch_.result.failure;
  if (!failure || failure.tuning_failed) {
    return;
  }
  for (const std::string& text : rejections_of_batch(context_)) {
    failure.cause += "; " + text;
    failure.of_launcher = true;
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
      continuation_.came_back();
      finished_ = !rejected_.allow_another(batch_.final_run);  // so do the others, if the next step throws
      finished_ = !rejected_.replace_choices(batch_.final_run, batch_.plan);
      warnings_.tell_of_results(checks_.end(batch_.plan, !batch_.final_run.rejected_anywhere));
    } else {
      observe_batch();
    }
  } catch (...) {
    fail(std::current_exception());
  }
  const bool nothing_to_do =
      state().done() && !rejected_.end_run() && batch_.agreed.outcome.rejections.empty();
  if (batch_.plan.kind == BatchKind::discovery && nothing_to_do) {
    batch_.plan.kind = BatchKind::final_run;  // everything was locked in already: this was the final run
    batch_.plan.phases.front() = Phase::final_run;
    finished_ = true;
  }
}

void TuningRun::observe_batch() {
  policy::BatchOutcome& outcome = batch_.agreed.outcome;
  const bool succeeded = outcome.rejections.empty() && !outcome.any_infeasible();
  context_.forgive_assignments();
  continuation_.observe(batch_.plan.iterations, batch_.joined_before, outcome);
  rejected_.mark(outcome.rejections, batch_.plan);
  warnings_.tell_of_results(checks_.end(batch_.plan, succeeded));
  checks_.tell_failure(batch_.plan, outcome);
}

void TuningRun::log() {
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
  decide([this] { recorder_.progress(state(), batch_.plan.phase(), choice_publisher_.open_count()); });
  if (finished_) {
    // Where all ranks have launched alike, there is nothing that one of them uses alone.
    choice_publisher_.note_who_uses(launched_alike() ? agreement::LaunchedKernels() : launched(),
                                    exchange_.rank());
    recorder_.timelines(problems());
    warnings_.tell_end(unjoined_count(), state().stalls());
  }
}

std::size_t TuningRun::unjoined_count() const {
  return context_.slots().size() - problems_.slots().size();
}

bool TuningRun::nothing_left() const noexcept {
  return finished_ && choice_publisher_.lasting() && context_.untracked_launches() == 0 &&
         unjoined_count() == 0;
}

record::Ending TuningRun::ending() const {
  return {record::stage_of(phase()), context_.tuning_iteration, &state(), problems()};
}

}  // namespace contextual::tuning
