#include "contextual/agreement/hello.hpp"
#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/launch/use_pass.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/storage/unwritten.hpp"
#include "contextual/tuning/abandoned.hpp"
#include "contextual/tuning/blocked_rank.hpp"
#include "contextual/tuning/call_watch.hpp"
#include "contextual/tuning/kept_choices.hpp"
#include "contextual/tuning/kept_choices_of_run.hpp"
#include "contextual/tuning/pins.hpp"
#include "contextual/tuning/rank_groups.hpp"
#include "contextual/tuning/revalidation.hpp"
#include "contextual/tuning/run_lock.hpp"
#include "contextual/tuning/settled_run.hpp"
#include "contextual/tuning/tuning_run.hpp"
#include "contextual/tuning/tuning_setup.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/detail/sync/ongoing_run.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual {

using options::ResolvedOptions;
using tuning::CallWatch;
using tuning::Occasion;
using tuning::Origin;
using tuning::Reads;
using tuning::TuningRun;
using tuning::TuningSetup;

namespace {

class ActiveRun {
 public:
  ActiveRun() { LaunchRegistry::instance().begin_run(); }
  ActiveRun(const ActiveRun&) = delete;
  ActiveRun& operator=(const ActiveRun&) = delete;
  ~ActiveRun() { LaunchRegistry::instance().end_run(); }
};

bool inside_region() {
  return detail::in_region_call(detail::thread_state());
}

/// On rank 0, which has read the pins.
std::vector<std::string> unused_pins(std::uint32_t region_id, const options::ResolvedOptions& resolved) {
  return resolved.communicator->rank() == 0 ? tuning::take_unused_pin_warnings(region_id)
                                            : std::vector<std::string>();
}

void warn(record::Recorder& recorder, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    recorder.warning(warning);
  }
}

/// Null where no log can be written: the ranks have agreed to go on.
record::Recorder* own_recorder(std::optional<record::Recorder>& recorder,
                               const options::ResolvedOptions& resolved, const std::string& region) {
  try {
    return &recorder.emplace(resolved, region);
  } catch (const InvalidArgument& error) {
    detail::warn_once(error.what());
    return nullptr;
  }
}

/// What `run` would throw for these options.
std::exception_ptr invalid(const options::ResolvedOptions& resolved) {
  try {
    options::validate(resolved);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

struct ContextualAutotuner::Impl {
  Options options;
  tuning::RunLock run_lock;
  tuning::RankGroups groups;
  mutable std::mutex report_mutex;
  Report report;
  /// What run_with_kept has installed for `tune` to compare with the defaults.
  std::optional<RegionReport> to_revalidate;
  /// The sets that install_kept could not install, for `tune` to start from.
  std::vector<std::string> starts;
  CallWatch watch;  ///< of calls without a tuning run; goes first, since its thread reads the report

  explicit Impl(Options o) : options(std::move(o)) {}

  options::ResolvedOptions resolve(const Options& call) const {
    return options::resolve(call, options, options::environment());
  }
  std::uint32_t region_id(const std::string& region, const options::ResolvedOptions& resolved) const {
    const std::shared_ptr<Communicator>& group = resolved.communicator;
    const std::shared_ptr<Communicator> own = group->size() == 1 ? group : resolve({}).communicator;
    return LaunchRegistry::instance().region_id(tuning::scope_of_group(group, own.get()), region);
  }

  /// In every mode. Returns whether every launch was of a problem that is tracked (see max_problems).
  bool start(const std::string& region, const std::function<void()>& call,
             const options::ResolvedOptions& resolved, const Occasion& occasion);
  /// In mode tune. Returns as `start`.
  bool run(const std::string& region, const std::function<void()>& call,
           const options::ResolvedOptions& resolved, const Occasion& occasion);
  /// Tunes, whatever is locked in already.
  bool tune(const std::string& region, std::uint32_t id, const std::function<void()>& call,
            const options::ResolvedOptions& resolved, const Occasion& occasion);
  /// In mode tune, the first time that this tuner runs the region, on a rank that has kept choices of it.
  /// Returns true if the region has been run with them and nothing is left to tune.
  bool start_from_kept(const std::string& region, std::uint32_t id, const std::function<void()>& call,
                       const options::ResolvedOptions& resolved);
  /// On all ranks, after a hello in which rank 0 has told kept choices. `recorder` is that of a run that has
  /// been set up, or null. Returns as `start_from_kept`.
  bool run_with_kept(const std::string& region, std::uint32_t id, const std::function<void()>& call,
                     const options::ResolvedOptions& resolved, const agreement::Hello& hello,
                     record::Recorder* recorder);
  /// Collective, after such a hello.
  std::optional<tuning::InstalledChoices> install_kept(const std::string& region, std::uint32_t id,
                                                       const options::ResolvedOptions& resolved,
                                                       const agreement::Hello& hello);
  /// A hello in which rank 0 tells what it has kept, in mode off only what is pinned.
  agreement::Hello say_what_is_kept(const std::string& region, const options::ResolvedOptions& resolved);
  /// The ranks have looked for what the mode and options let them use.
  void note_looked(const std::string& region, const options::ResolvedOptions& resolved);
  /// In modes use and off. In mode use the ranks look for kept choices, in both for pins.
  void meet_once(const std::string& region, const options::ResolvedOptions& resolved);

  /// See ContextualAutotuner::load.
  bool load(const std::string& region, const options::ResolvedOptions& resolved);

  /// Modes use and off: the final run and nothing else.
  void run_once(const std::string& region, const std::function<void()>& call,
                const options::ResolvedOptions& resolved);
  /// Fixes what a wrapped region's later calls go by.
  void first_call_done(detail::TunedState& state, const std::string& region,
                       const options::ResolvedOptions& resolved) const;

  /// Of the region's last tuning run; empty where there was none.
  std::string last_run_id(const std::string& region) const;

  /// Collective, after a run with kept choices.
  tuning::AfterRevalidation revalidate(TuningRun& run, record::Recorder& recorder,
                                       const std::function<void()>& call,
                                       const options::ResolvedOptions& resolved);
  /// As `tune`, because the last run has shown that what was kept is no better than the defaults.
  bool tune_again(const std::string& region, std::uint32_t id, const std::function<void()>& call,
                  const options::ResolvedOptions& resolved, const Occasion& occasion);

  /// A region that is run again and again with nothing left to tune keeps one report of that; one that is
  /// tuned again and again keeps the latest few.
  void keep(RegionReport&& latest);
};

std::string ContextualAutotuner::Impl::last_run_id(const std::string& region) const {
  const std::lock_guard lock(report_mutex);
  const RegionReport* run = report.find(region);
  return run == nullptr ? std::string() : run->run_id;
}

void ContextualAutotuner::Impl::keep(RegionReport&& latest) {
  const auto nothing_tuned = [](const RegionReport& run) { return run.table.size() <= 1; };
  const std::lock_guard lock(report_mutex);
  const auto before = std::find_if(report.runs.rbegin(), report.runs.rend(),
                                   [&](const RegionReport& run) { return run.region == latest.region; });
  if (before != report.runs.rend() && nothing_tuned(*before) && nothing_tuned(latest)) {
    *before = std::move(latest);
    return;
  }
  const auto of_region = [&](const RegionReport& run) { return run.region == latest.region; };
  if (std::count_if(report.runs.begin(), report.runs.end(), of_region) >= Report::most_runs_of_region) {
    report.runs.erase(std::find_if(report.runs.begin(), report.runs.end(), of_region));
  }
  report.runs.push_back(std::move(latest));
}

bool ContextualAutotuner::Impl::start(const std::string& region, const std::function<void()>& call,
                                      const options::ResolvedOptions& resolved, const Occasion& occasion) {
  if (region.empty()) {
    throw InvalidArgument(
        "`run` got an empty region name: give the region a name, which identifies its choices");
  }
  const detail::OngoingRun ongoing({resolved.deadline, resolved.grace});
  {
    const tuning::RunLock::Holder lock(run_lock, region, resolved.deadline);
    if (resolved.mode == Mode::tune) {
      return run(region, call, resolved, occasion);
    }
    const bool looked = resolved.mode == Mode::use ? groups.looked(region, resolved)
                                                   : groups.looked_for_pins(region, resolved);
    const bool looks = groups.keeps_choices(resolved) && !looked;
    if (looks || !groups.met(resolved)) {  // once: a rank may have another mode
      meet_once(region, resolved);
    }
  }
  if (const auto failure = invalid(resolved)) {
    std::rethrow_exception(failure);
  }
  run_once(region, call, resolved);
  return true;
}

bool ContextualAutotuner::Impl::run(const std::string& region, const std::function<void()>& call,
                                    const options::ResolvedOptions& resolved, const Occasion& occasion) {
  const std::uint32_t id = region_id(region, resolved);
  to_revalidate.reset();
  starts.clear();
  const bool settled =
      occasion.origin == Origin::run && !resolved.always_tune && groups.settled(region, id, resolved);
  if (settled) {
    agreement::Exchange& exchange = groups.exchange_for(resolved);
    const agreement::Hello hello = agreement::say_hello(
        exchange, region, resolved, {.setup_failure = invalid(resolved), .settled = true});
    if (!hello.kept_choices.empty()) {
      if (run_with_kept(region, id, call, resolved, hello, nullptr)) {
        return true;
      }
    } else if (hello.settled_everywhere &&
               !tuning::SettledRun(resolved, region, id, last_run_id(region), exchange, watch)
                    .execute(call)) {
      return true;
    }
    groups.forget_settled(region, resolved);
  } else {
    const bool looked =
        resolved.always_tune ? groups.looked_for_pins(region, resolved) : groups.looked(region, resolved);
    if (occasion.origin == Origin::run && !looked && start_from_kept(region, id, call, resolved)) {
      return true;
    }
  }
  return tune(region, id, call, resolved, occasion);
}

bool ContextualAutotuner::Impl::start_from_kept(const std::string& region, std::uint32_t id,
                                                const std::function<void()>& call,
                                                const options::ResolvedOptions& resolved) {
  agreement::Exchange& exchange = groups.exchange_for(resolved);
  if (exchange.rank() != 0 || resolved.cache_directory.empty()) {
    return false;  // learns of them in its hello
  }
  std::string kept = tuning::read_kept_choices(resolved.cache_directory, region,
                                               resolved.always_tune ? Reads::pins : Reads::pins_and_choices);
  if (kept.empty()) {
    return false;
  }
  const agreement::Hello hello = agreement::say_hello(exchange, region, resolved,
                                                      {.setup_failure = invalid(resolved),
                                                       .settled = true,
                                                       .keeps_choices = true,
                                                       .kept_choices = std::move(kept)});
  return run_with_kept(region, id, call, resolved, hello, nullptr);
}

bool ContextualAutotuner::Impl::run_with_kept(const std::string& region, std::uint32_t id,
                                              const std::function<void()>& call,
                                              const options::ResolvedOptions& resolved,
                                              const agreement::Hello& hello, record::Recorder* recorder) {
  agreement::Exchange& exchange = groups.exchange_for(resolved);
  std::optional<tuning::InstalledChoices> installed = install_kept(region, id, resolved, hello);
  note_looked(region, resolved);  // what could not be installed is looked at again
  if (!installed || resolved.always_tune) {
    return false;
  }
  RegionReport& kept = installed->report;
  if (resolved.revalidate != Revalidate::no && installed->more_than_pins) {
    to_revalidate = std::move(kept);
    return false;
  }
  if (tuning::SettledRun(resolved, region, id, last_run_id(region), exchange, watch).execute(call)) {
    return false;
  }
  groups.note_met(resolved, hello);
  groups.note_settled(region, id, resolved);
  std::optional<record::Recorder> own;
  if (recorder == nullptr) {
    recorder = own_recorder(own, resolved, region);
  }
  kept.warnings = unused_pins(id, resolved);
  if (recorder != nullptr) {
    recorder->hello(hello.tuning_id, nullptr);
    warn(*recorder, kept.warnings);
    recorder->end(nullptr, {});
    kept.run_id = recorder->report().run_id;
    kept.log_directory = recorder->report().log_directory;
  }
  keep(std::move(kept));
  return true;
}

std::optional<tuning::InstalledChoices> ContextualAutotuner::Impl::install_kept(
    const std::string& region, std::uint32_t id, const options::ResolvedOptions& resolved,
    const agreement::Hello& hello) {
  const CallWatch::Call preparing{
      resolved.deadline, resolved.grace, [&](std::chrono::nanoseconds blocked_for) {
        return tuning::blocked_call_actions(
            resolved, {region, last_run_id(region), Activity::prepare, tuning::AfterGrace::leave},
            blocked_for);
      }};
  tuning::KeptSets sets;
  {
    const CallWatch::Section section(watch, preparing);
    const bool checks = options::environment().values.version_check.value_or(true);
    sets = tuning::look_at_kept_choices(
        region, id, static_cast<std::size_t>(groups.exchange_for(resolved).rank()), hello,
        checks ? tuning::Versions::must_be_equal : tuning::Versions::may_differ);
  }
  auto installed = tuning::install_kept_choices(groups.exchange_for(resolved), region, id, sets);
  starts = tuning::unusable_sets(sets);
  return installed;
}

agreement::Hello ContextualAutotuner::Impl::say_what_is_kept(const std::string& region,
                                                             const options::ResolvedOptions& resolved) {
  agreement::Exchange& exchange = groups.exchange_for(resolved);
  agreement::Arrival arrival{.setup_failure = invalid(resolved)};
  if (exchange.rank() == 0 && !resolved.cache_directory.empty()) {
    arrival.keeps_choices = true;
    arrival.kept_choices = tuning::read_kept_choices(
        resolved.cache_directory, region, resolved.mode == Mode::off ? Reads::pins : Reads::pins_and_choices);
  }
  agreement::Hello hello = agreement::say_hello(exchange, region, resolved, arrival);
  groups.note_met(resolved, hello);
  return hello;
}

void ContextualAutotuner::Impl::note_looked(const std::string& region,
                                            const options::ResolvedOptions& resolved) {
  if (resolved.mode == Mode::off || (resolved.mode == Mode::tune && resolved.always_tune)) {
    groups.note_looked_for_pins(region, resolved);
  } else {
    groups.note_looked(region, resolved);
  }
}

void ContextualAutotuner::Impl::meet_once(const std::string& region,
                                          const options::ResolvedOptions& resolved) {
  const agreement::Hello hello = say_what_is_kept(region, resolved);
  std::optional<tuning::InstalledChoices> installed;
  if (!hello.kept_choices.empty()) {
    installed = install_kept(region, region_id(region, resolved), resolved, hello);
  }
  note_looked(region, resolved);  // what could not be installed is looked at again
  if (installed) {
    keep(std::move(installed->report));
  }
}

bool ContextualAutotuner::Impl::load(const std::string& region, const options::ResolvedOptions& resolved) {
  const detail::OngoingRun ongoing({resolved.deadline, resolved.grace});
  const tuning::RunLock::Holder lock(run_lock, region, resolved.deadline);
  const std::uint32_t id = region_id(region, resolved);
  const agreement::Hello hello = say_what_is_kept(region, resolved);
  std::optional<tuning::InstalledChoices> installed;
  if (!hello.kept_choices.empty()) {
    installed = install_kept(region, id, resolved, hello);
  }
  if (!installed) {
    return false;
  }
  groups.note_looked(region, resolved);
  groups.note_settled(region, id, resolved);
  keep(std::move(installed->report));
  return true;
}

tuning::AfterRevalidation ContextualAutotuner::Impl::revalidate(TuningRun& run, record::Recorder& recorder,
                                                                const std::function<void()>& call,
                                                                const options::ResolvedOptions& resolved) {
  const std::optional<RevalidationReport> result = run.revalidate(call);
  recorder.report().revalidation = result;
  if (!result) {
    recorder.warning("kept choices were not compared with the defaults, because `feasible` rules those out");
    return tuning::AfterRevalidation::choices_stay;
  }
  if (!result->defaults_won) {
    return tuning::AfterRevalidation::choices_stay;
  }
  const bool tunes = resolved.revalidate == Revalidate::tune_if_worse;
  recorder.warning(std::string("the kept choices are not faster than the defaults: ") +
                   (tunes ? "the region is tuned again" : "this process uses the defaults"));
  if (!tunes) {
    run.use_defaults();
  }
  return tunes ? tuning::AfterRevalidation::tune_again : tuning::AfterRevalidation::defaults_are_used;
}

bool ContextualAutotuner::Impl::tune_again(const std::string& region, std::uint32_t id,
                                           const std::function<void()>& call,
                                           const options::ResolvedOptions& resolved,
                                           const Occasion& occasion) {
  options::ResolvedOptions again = resolved;
  again.always_tune = true;
  again.revalidate = Revalidate::no;
  std::optional<RevalidationReport> why;
  {
    const std::lock_guard lock(report_mutex);
    why = report.runs.back().revalidation;
  }
  const bool all_tracked = tune(region, id, call, again, occasion);
  const std::lock_guard lock(report_mutex);
  report.runs.back().revalidation = why;
  return all_tracked;
}

bool ContextualAutotuner::Impl::tune(const std::string& region, std::uint32_t id,
                                     const std::function<void()>& call,
                                     const options::ResolvedOptions& resolved, const Occasion& occasion) {
  agreement::Exchange& exchange = groups.exchange_for(resolved);
  TuningSetup setup(region, id, resolved, occasion, exchange);
  setup.start_also_from(starts);
  if (const agreement::Hello& hello = setup.meet(); !hello.kept_choices.empty()) {
    try {
      if (run_with_kept(region, id, call, resolved, hello, &setup.recorder())) {
        return true;
      }
    } catch (...) {
      setup.recorder().end(std::current_exception(), {});
      throw;
    }
    setup.start_also_from(starts);
    setup.meet();
  }
  groups.note_met(resolved, setup.hello());
  record::Recorder& recorder = setup.recorder();
  std::unique_ptr<TuningRun> run = setup.take_run();
  const std::optional<RegionReport> kept = std::exchange(to_revalidate, std::nullopt);
  auto after = tuning::AfterRevalidation::choices_stay;
  bool kept_well = true;
  const auto finish = [&](const std::exception_ptr& thrown) {
    run->end_journal(thrown, kept_well);
    recorder.end(thrown, run->ending());
    if (kept) {
      tuning::describe_kept(*kept, after, recorder.report());
    }
    keep(std::move(recorder.report()));
    if (!thrown && run->nothing_left()) {
      groups.note_settled(region, id, resolved);
    } else {
      groups.forget_settled(region, resolved);
    }
    if (run->context().has_live_guards()) {
      run->retire();
      tuning::abandon(std::move(run));
    }
  };
  const ActiveRun active;
  try {
    run->execute(call);
    if (kept) {
      after = revalidate(*run, recorder, call, resolved);
    }
  } catch (...) {
    finish(std::current_exception());
    throw;
  }
  const bool all_tracked = run->context().untracked_launches() == 0;
  try {
    if (!setup.hello().machines.empty()) {
      const std::string problem = tuning::write_kept_choices(exchange, resolved.cache_directory, region, *run,
                                                             setup.hello().machines);
      kept_well = problem.empty();
      const std::string warning = kept_well ? std::string()
                                            : storage::unwritten_warning(resolved.cache_directory,
                                                                         "the choices are not kept", problem);
      if (!warning.empty()) {
        recorder.warning(warning);
      }
    }
  } catch (...) {
    finish(std::current_exception());
    throw;
  }
  warn(recorder, unused_pins(id, resolved));
  finish(nullptr);
  return after == tuning::AfterRevalidation::tune_again ? tune_again(region, id, call, resolved, occasion)
                                                        : all_tracked;
}

void ContextualAutotuner::Impl::run_once(const std::string& region, const std::function<void()>& call,
                                         const options::ResolvedOptions& resolved) {
  const std::uint32_t id = region_id(region, resolved);
  const detail::ThreadState state = detail::state_in_region(id, resolved.mode == Mode::off);
  const IterationInfo info{region, Phase::final_run, 0};
  if (resolved.before_iteration) {
    resolved.before_iteration(info);
  }
  {
    const detail::ThreadStateScope scope(state);
    call();
  }
  if (resolved.after_iteration) {
    resolved.after_iteration(info);
  }
  const std::vector<std::string> unused = unused_pins(id, resolved);
  std::for_each(unused.begin(), unused.end(), detail::warn_once);  // these modes have no log
  const std::lock_guard lock(report_mutex);
  if (report.find(region) == nullptr) {
    report.runs.emplace_back().region = region;  // so that `find` finds every region that was run
  }
  const auto latest = std::find_if(report.runs.rbegin(), report.runs.rend(),
                                   [&](const RegionReport& run) { return run.region == region; });
  latest->warnings.insert(latest->warnings.end(), unused.begin(), unused.end());
}

ContextualAutotuner::ContextualAutotuner() : ContextualAutotuner(Options{}) {}

ContextualAutotuner::ContextualAutotuner(Options options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

ContextualAutotuner::~ContextualAutotuner() = default;

bool ContextualAutotuner::run_erased(std::string_view name, const std::function<void()>& region,
                                     const Options& options) {
  if (inside_region()) {
    region();  // part of that region
    return true;
  }
  return impl_->start(std::string(name), region, impl_->resolve(options), {});
}

void ContextualAutotuner::run_anew(std::string_view name, const std::function<void()>& region,
                                   const Options& options) {
  ResolvedOptions resolved = impl_->resolve(options);
  resolved.always_tune = true;
  impl_->start(std::string(name), region, resolved, {});
}

bool ContextualAutotuner::load(std::string_view name, const Options& options) {
  if (name.empty() || inside_region()) {
    throw InvalidArgument("`load` needs the name of a region, and is called outside of regions");
  }
  return impl_->load(std::string(name), impl_->resolve(options));
}

namespace detail {

struct TunedState {
  std::mutex mutex;
  std::atomic<bool> tuned{false};
  std::atomic<bool> saturated{false};  ///< more keys than max_problems: what is new stays at its default
  // Fixed once `tuned`.
  ThreadState thread;
  bool alone = true;  ///< one rank: whatever is new may start tuning
  Namesakes namesakes = Namesakes::are_refused;
  CallWatch::Call watched;  ///< a later call
};

}  // namespace detail

void ContextualAutotuner::Impl::first_call_done(detail::TunedState& state, const std::string& region,
                                                const options::ResolvedOptions& resolved) const {
  state.thread = detail::state_in_region(region_id(region, resolved), resolved.mode == Mode::off);
  if (resolved.mode != Mode::tune) {
    state.saturated.store(true, std::memory_order_relaxed);  // nothing is ever tuned
  }
  state.alone = resolved.communicator->size() == 1;
  state.namesakes = detail::namesakes_in(resolved.communicator->process_scope());
  const auto after_grace =
      resolved.end_blocked_calls ? tuning::AfterGrace::leave : tuning::AfterGrace::nothing;
  options::ResolvedOptions logged = resolved;
  if (resolved.mode != Mode::tune) {
    logged.log_directory.clear();  // other modes write no log
  }
  state.watched = {resolved.deadline, resolved.grace,
                   [this, region, logged, after_grace](std::chrono::nanoseconds blocked_for) {
                     return tuning::blocked_call_actions(
                         logged, {region, last_run_id(region), Activity::later_call, after_grace},
                         blocked_for);
                   }};
  state.tuned.store(true, std::memory_order_release);
}

std::shared_ptr<detail::TunedState> ContextualAutotuner::new_tuned_state() {
  return std::make_shared<detail::TunedState>();
}

Options ContextualAutotuner::options_of(const CallOptions& call, std::string_view region,
                                        const Options& of_region) const {
  if (!call.fixed.empty()) {
    throw InvalidArgument("region \"" + std::string(region) + "\": a call cannot fix " +
                          call.fixed.to_string() +
                          ", because parameters belong to kernels: use `keep` of the kernel, or `autotune`");
  }
  Options options;
  if (!call.autotune) {
    options.mode = Mode::off;
  }
  if (call.verbose) {
    options.print = std::max(impl_->resolve(of_region).print, Print::choices);
  }
  options.communicator = call.communicator;
  return options;
}

void ContextualAutotuner::call_erased(detail::TunedState& state, std::string_view name,
                                      const std::function<void()>& region, const Options& options,
                                      const Options* call) {
  if (inside_region()) {
    region();
    return;
  }
  const auto resolve = [&] {
    ResolvedOptions resolved = impl_->resolve(call == nullptr ? options : options::merged(*call, options));
    if (call != nullptr && call->mode == Mode::off) {
      resolved.mode = Mode::off;  // the environment does not make this one call tune
    }
    return resolved;
  };
  if (call != nullptr && (call->mode || call->always_tune || call->communicator)) {
    impl_->start(std::string(name), region, resolve(), {});
    return;
  }
  Occasion occasion;
  if (state.tuned.load(std::memory_order_acquire)) {
    // What is new is named for the message of a rank that alone goes to tune it.
    const bool named = !state.alone && !state.saturated.load(std::memory_order_relaxed);
    detail::UsePass use(detail::UsePass::Failures::are_the_callers, state.namesakes,
                        named ? detail::UsePass::New::is_named : detail::UsePass::New::is_noted);
    detail::ThreadState thread = state.thread;
    thread.use = &use;
    {
      const CallWatch::Section section(impl_->watch, state.watched);
      const detail::ThreadStateScope scope(thread);
      region();
    }
    const bool saturated = state.saturated.load(std::memory_order_relaxed);
    const bool tune = !saturated && (use.new_on_all() || (state.alone && use.new_elsewhere()));
    if (!tune) {
      return;
    }
    occasion = {Origin::later_call, use.first_new_text()};
  }
  if (!impl_->start(std::string(name), region, resolve(), occasion)) {
    state.saturated.store(true, std::memory_order_relaxed);
  }
  const std::lock_guard lock(state.mutex);
  if (!state.tuned.load(std::memory_order_relaxed)) {
    impl_->first_call_done(state, std::string(name), impl_->resolve(options));
  }
}

Report ContextualAutotuner::report() const {
  const std::lock_guard lock(impl_->report_mutex);
  return impl_->report;
}

}  // namespace contextual
