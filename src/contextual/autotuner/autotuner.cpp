#include "contextual/autotuner/hello.hpp"
#include "contextual/autotuner/recorder.hpp"
#include "contextual/autotuner/region_run.hpp"
#include "contextual/autotuner/resolved_options.hpp"
#include "contextual/autotuner/run_lock.hpp"
#include "contextual/sync/exchange.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace contextual {

using autotuner::RegionRun;
using autotuner::ResolvedOptions;

namespace {

class ActiveRun {
 public:
  ActiveRun() { LaunchRegistry::instance().begin_run(); }
  ActiveRun(const ActiveRun&) = delete;
  ActiveRun& operator=(const ActiveRun&) = delete;
  ~ActiveRun() { LaunchRegistry::instance().end_run(); }
};

/// In a region that is being tuned, or in a wrapped region's later call: a run in there is part of it. In
/// both, or the region inside would start to tune in the first call that is to run once.
bool inside_region() {
  return detail::thread_state().log != nullptr || detail::thread_state().use != nullptr;
}

void check_single_library() {
  const auto copies = LaunchRegistry::instance().other_copies();
  if (!copies.empty()) {
    throw Error(
        "this process has a second copy of the contextual library, in " + copies.front() +
        ": kernels linked to it cannot be tuned from here. Link the application and its plugins to one "
        "shared library");
  }
}

/// A thread may still launch into it, so it is kept for good.
void abandon(std::unique_ptr<RegionRun> run) {
  run->retire();
  static std::mutex mutex;
  static auto* const abandoned = new std::vector<std::unique_ptr<RegionRun>>;
  const std::lock_guard lock(mutex);
  abandoned->push_back(std::move(run));
}

/// What `run` would throw for these options.
std::exception_ptr invalid(const ResolvedOptions& resolved) {
  try {
    autotuner::validate(resolved);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

struct ContextualAutotuner::Impl {
  Options options;
  autotuner::RunLock run_lock;
  std::map<Communicator*, std::unique_ptr<sync::Exchange>> exchanges;
  std::vector<std::shared_ptr<Communicator>> communicators;  ///< kept while their exchange is
  std::set<Communicator*> met;                               ///< on which all ranks were once found to agree
  mutable std::mutex report_mutex;
  Report report;

  explicit Impl(Options o) : options(std::move(o)) {}

  ResolvedOptions resolve(const Options& call) const {
    return autotuner::resolve(call, options, autotuner::environment());
  }

  sync::Exchange& exchange_for(const ResolvedOptions& resolved) {
    auto& exchange = exchanges[resolved.communicator.get()];
    // One that makes no sense is told to the others, who need time to come.
    const auto timeout = resolved.deadline.count() > 0 ? resolved.deadline : ResolvedOptions{}.deadline;
    // A child of fork that runs alone starts anew; one that has peers must not speak for its parent.
    const bool inherited = exchange && resolved.communicator->size() == 1 && !exchange->of_this_process();
    if (!exchange || inherited) {
      exchange = std::make_unique<sync::Exchange>(*resolved.communicator, timeout);
      communicators.push_back(resolved.communicator);
    }
    exchange->set_timeout(timeout);
    return *exchange;
  }

  /// As autotuner::say_hello; remembers with whom this tuner has met.
  std::string hello(sync::Exchange& exchange, const std::string& region, const ResolvedOptions& resolved,
                    std::string_view timer, const std::exception_ptr& setup_failure) {
    std::string tuning_id = autotuner::say_hello(exchange, region, resolved, timer, setup_failure);
    met.insert(resolved.communicator.get());
    return tuning_id;
  }

  /// A region that is run again and again with nothing left to tune keeps one report of that.
  void keep(RegionReport&& latest) {
    const auto nothing_tuned = [](const RegionReport& run) { return run.table.size() <= 1; };
    const std::lock_guard lock(report_mutex);
    const auto before = std::find_if(report.runs.rbegin(), report.runs.rend(),
                                     [&](const RegionReport& run) { return run.region == latest.region; });
    if (before != report.runs.rend() && nothing_tuned(*before) && nothing_tuned(latest)) {
      *before = std::move(latest);
    } else {
      report.runs.push_back(std::move(latest));
    }
  }

  /// What `run` may do only where all ranks can learn of its failure.
  void set_up(const std::string& region, const ResolvedOptions& resolved, sync::Exchange& exchange,
              std::optional<autotuner::Recorder>& recorder, std::unique_ptr<RegionRun>& run) {
    autotuner::validate(resolved);
    check_single_library();
    recorder.emplace(resolved, region);
    run = std::make_unique<RegionRun>(resolved, region, region_id(region, resolved), exchange, *recorder);
  }

  /// Returns whether every launch was of a problem that is tracked (see max_problems).
  bool tune(const std::string& region, const std::function<void()>& call, const ResolvedOptions& resolved);
  /// Modes use and off: the final run and nothing else.
  void run_once(const std::string& region, const std::function<void()>& call,
                const ResolvedOptions& resolved);
  static std::uint32_t region_id(const std::string& region, const ResolvedOptions& resolved) {
    return LaunchRegistry::instance().region_id(resolved.communicator->process_scope(), region);
  }
};

bool ContextualAutotuner::Impl::tune(const std::string& region, const std::function<void()>& call,
                                     const ResolvedOptions& resolved) {
  sync::Exchange& exchange = exchange_for(resolved);
  std::optional<autotuner::Recorder> recorder;
  std::unique_ptr<RegionRun> run;
  std::exception_ptr setup_failure;
  try {
    set_up(region, resolved, exchange, recorder, run);
  } catch (...) {
    setup_failure = std::current_exception();
  }
  try {
    const std::string tuning_id =
        hello(exchange, region, resolved, run ? run->timer().name() : std::string_view(), setup_failure);
    recorder->hello(tuning_id, run->timer());
  } catch (...) {
    if (recorder) {
      recorder->end(std::current_exception(), {});
    }
    throw;
  }
  const auto finish = [&](const std::exception_ptr& thrown) {
    recorder->end(thrown, {std::string(autotuner::phase_name(run->phase())), run->context().tuning_iteration,
                           &run->state(), run->problems()});
    keep(std::move(recorder->report()));
    if (run->context().has_live_guards()) {
      abandon(std::move(run));
    }
  };
  const ActiveRun active;
  try {
    run->execute(call);
  } catch (...) {
    finish(std::current_exception());
    throw;
  }
  const bool all_tracked = run->context().untracked_launches() == 0;
  finish(nullptr);
  return all_tracked;
}

void ContextualAutotuner::Impl::run_once(const std::string& region, const std::function<void()>& call,
                                         const ResolvedOptions& resolved) {
  detail::ThreadState state;
  if (resolved.mode == Mode::off) {
    state.defaults_only = true;
  } else {
    state.region = region_id(region, resolved);
  }
  const IterationInfo info{region, autotuner::phase_name(policy::Phase::final_run), 0};
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
  const std::lock_guard lock(report_mutex);
  if (report.find(region) == nullptr) {
    report.runs.emplace_back().region = region;  // so that `find` finds every region that was run
  }
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
  if (name.empty()) {
    throw InvalidArgument("`run` got an empty region name: name the region, its choices are known by it");
  }
  const std::string region_name(name);
  const ResolvedOptions resolved = impl_->resolve(options);
  if (resolved.mode != Mode::tune) {
    {
      const autotuner::RunLock::Holder lock(impl_->run_lock, region_name, resolved.deadline);
      if (!impl_->met.contains(resolved.communicator.get())) {  // once: a rank may have another mode
        impl_->hello(impl_->exchange_for(resolved), region_name, resolved, {}, invalid(resolved));
      }
    }
    if (const auto failure = invalid(resolved)) {
      std::rethrow_exception(failure);
    }
    impl_->run_once(region_name, region, resolved);
    return true;
  }
  const autotuner::RunLock::Holder lock(impl_->run_lock, region_name, resolved.deadline);
  return impl_->tune(region_name, region, resolved);
}

namespace detail {

struct TunedState {
  std::mutex mutex;
  std::atomic<bool> tuned{false};
  std::atomic<bool> saturated{false};  ///< more keys than max_problems: what is new stays at its default
  // Fixed once `tuned`.
  ThreadState thread;
  bool alone = true;  ///< one rank: whatever is new may start tuning
};

}  // namespace detail

std::shared_ptr<detail::TunedState> ContextualAutotuner::new_tuned_state() {
  return std::make_shared<detail::TunedState>();
}

void ContextualAutotuner::call_erased(detail::TunedState& state, std::string_view name,
                                      const std::function<void()>& region, const Options& options) {
  if (inside_region()) {
    region();
    return;
  }
  if (state.tuned.load(std::memory_order_acquire)) {
    detail::UsePass use;
    detail::ThreadState thread = state.thread;
    thread.use = &use;
    {
      const detail::ThreadStateScope scope(thread);
      region();
    }
    const bool saturated = state.saturated.load(std::memory_order_relaxed);
    const bool tune = !saturated && (use.new_on_all.load(std::memory_order_relaxed) ||
                                     (state.alone && use.new_elsewhere.load(std::memory_order_relaxed)));
    if (!tune) {
      return;
    }
  }
  if (!run_erased(name, region, options)) {
    state.saturated.store(true, std::memory_order_relaxed);
  }
  const std::lock_guard lock(state.mutex);
  if (!state.tuned.load(std::memory_order_relaxed)) {
    const ResolvedOptions resolved = impl_->resolve(options);
    if (resolved.mode == Mode::off) {
      state.thread.defaults_only = true;
    } else {
      state.thread.region = Impl::region_id(std::string(name), resolved);
    }
    if (resolved.mode != Mode::tune) {
      state.saturated.store(true, std::memory_order_relaxed);  // nothing is ever tuned
    }
    state.alone = resolved.communicator->size() == 1;
    state.tuned.store(true, std::memory_order_release);
  }
}

Report ContextualAutotuner::report() const {
  const std::lock_guard lock(impl_->report_mutex);
  return impl_->report;
}

}  // namespace contextual
