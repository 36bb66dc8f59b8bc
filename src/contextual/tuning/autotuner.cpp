#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/blocked_rank.hpp"
#include "contextual/tuning/region_pass.hpp"
#include "contextual/tuning/region_tuner.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace contextual {

using options::ResolvedOptions;
using tuning::Occasion;
using tuning::Origin;
using tuning::Watchdog;

namespace {

bool inside_region() {
  return detail::in_region_call(detail::thread_state());
}

/// A region that is called inside another one is a part of it: nothing is measured, restored or checked of it
/// alone. Says once for each region which of its options are not used. Allocates only where there is
/// something to say.
class UnusedOptions {
 public:
  void tell(std::string_view region, std::uint64_t bits_of_set) {
    if (bits_of_set == 0) {
      return;
    }
    const std::lock_guard lock(mutex_);
    auto told = told_.find(region);
    if (told == told_.end()) {
      told = told_.emplace(region, 0).first;
    }
    if ((bits_of_set & ~told->second) == 0) {
      return;
    }
    told->second |= bits_of_set;
    detail::warn_once(
        "region \"" + std::string(region) +
        "\" is called inside another region, as a part of it, and its options are not used there: " +
        options::names_of_set(bits_of_set) +
        ". Give the outer region what it needs, such as `restore` and `outputs`");
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> told_;  ///< by region: the options it has been told of
};

}  // namespace

struct ContextualAutotuner::Impl {
  tuning::RegionTuner regions;
  UnusedOptions unused_options{};

  explicit Impl(Options options) : regions(std::move(options)) {}

  /// Of a call of the region inside another one. `bits`: the options that the call itself has.
  void tell_unused(std::string_view region, std::uint64_t bits) {
    const std::uint32_t outer = detail::region_of(detail::thread_state());
    unused_options.tell(region, bits | regions.unused_options_in(outer));
  }

  /// Fixes what a wrapped region's later calls go by.
  void first_call_done(detail::TunedState& state, const std::string& region, const ResolvedOptions& resolved);
};

ContextualAutotuner::ContextualAutotuner() : ContextualAutotuner(Options{}) {}

ContextualAutotuner::ContextualAutotuner(Options options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

ContextualAutotuner::~ContextualAutotuner() = default;

void ContextualAutotuner::run_erased(std::string_view name, const std::function<void()>& region,
                                     const Options& options) {
  if (inside_region()) {
    impl_->tell_unused(name, options::bits_of_set(options));
    region();
  } else {
    impl_->regions.run(std::string(name), region, impl_->regions.resolve(options), {});
  }
}

bool ContextualAutotuner::load(std::string_view name, const Options& options) {
  if (name.empty() || inside_region()) {
    throw InvalidArgument("`load` needs the name of a region, and is called outside of regions");
  }
  return impl_->regions.load(std::string(name), impl_->regions.resolve(options));
}

namespace detail {

struct TunedState {
  std::mutex mutex;
  std::atomic<bool> tuned{false};
  std::atomic<bool> saturated{false};   ///< more keys than are tuned: what is new stays at its default
  std::atomic<bool> tunes_next{false};  ///< a call has met something new, which cannot be undone
  // Fixed once `tuned`.
  ThreadState thread;
  std::string region;
  ResolvedOptions logged;  ///< with the log that later calls write to

  bool alone() const { return logged.communicator->size() == 1; }  ///< whatever is new may start tuning
  Watchdog::Watch watch;                                           ///< of a later call
};

}  // namespace detail

void ContextualAutotuner::Impl::first_call_done(detail::TunedState& state, const std::string& region,
                                                const ResolvedOptions& resolved) {
  state.thread = detail::state_in_region(regions.region_id(region, resolved), resolved.mode == Mode::off);
  if (resolved.mode != Mode::tune) {
    state.saturated.store(true, std::memory_order_relaxed);  // nothing is ever tuned
  }
  state.region = region;
  state.logged = resolved;
  if (resolved.mode != Mode::tune) {
    state.logged.log_directory.clear();  // other modes write no log
  }
  state.watch = watch_of_call(regions.watchdog(), state.logged, state.region, regions.reports(),
                              tuning::AfterGrace::nothing);
  state.watch.outer = Watchdog::Outer::goes_on;  // a hook's later call does not extend its run's deadline
  state.tuned.store(true, std::memory_order_release);
}

std::shared_ptr<detail::TunedState> ContextualAutotuner::new_tuned_state() {
  return std::make_shared<detail::TunedState>();
}

void ContextualAutotuner::call_erased(detail::TunedState& state, std::string_view name,
                                      const std::function<void()>& region, const Options& options,
                                      const Options* call) {
  if (inside_region()) {
    impl_->tell_unused(name,
                       options::bits_of_set(options) | (call == nullptr ? 0 : options::bits_of_set(*call)));
    region();
    return;
  }
  const auto resolve = [&] {
    ResolvedOptions resolved =
        impl_->regions.resolve(call == nullptr ? options : options::merged(*call, options));
    if (call != nullptr && call->mode == Mode::off) {
      resolved.mode = Mode::off;  // the environment does not make this one call tune
    }
    return resolved;
  };
  if (call != nullptr && (call->mode || call->search || call->always_tune || call->communicator)) {
    impl_->regions.run(std::string(name), region, resolve(), {});
    return;
  }
  Occasion occasion;
  if (state.tunes_next.exchange(false, std::memory_order_relaxed)) {
    occasion = {Origin::later_call, {}};
  } else if (state.tuned.load(std::memory_order_acquire)) {
    // What is new is named for the message of a rank that alone goes to tune it.
    const bool named = !state.alone() && !state.saturated.load(std::memory_order_relaxed);
    const Communicator& ranks = *state.logged.communicator;
    detail::UsePass use(detail::UsePass::Failures::are_the_callers,
                        detail::namesakes_in(ranks.process_scope()),
                        named ? detail::UsePass::New::is_named : detail::UsePass::New::is_noted,
                        state.alone() ? -1 : ranks.rank());
    tuning::RegionPass pass;
    {
      const Watchdog::Section section(state.watch, {Activity::later_call, Phase::final_run, 0});
      pass = tuning::run_in_pass(region, state.thread, use);
    }
    if (pass.rejected && state.alone()) {
      LaunchRegistry::instance().forget_failed_choices(detail::region_of(state.thread));
    }
    const bool saturated = state.saturated.load(std::memory_order_relaxed);
    const bool tune = !saturated && (pass.thrown == nullptr || pass.refused) &&
                      (use.new_on_all() || (state.alone() && use.new_elsewhere()));
    const bool undoable = !options.restore && (call == nullptr || !call->restore);
    if (tune && !undoable) {  // the region has changed its state by now
      state.tunes_next.store(true, std::memory_order_relaxed);
    }
    if (!tune || !undoable) {  // else the ranks meet, and leave out what was refused
      if (pass.thrown) {
        std::rethrow_exception(pass.thrown);
      }
      return;
    }
    occasion = {Origin::later_call, use.first_new_text()};
  }
  if (!impl_->regions.run(std::string(name), region, resolve(), occasion)) {
    state.saturated.store(true, std::memory_order_relaxed);
  }
  const std::lock_guard lock(state.mutex);
  if (!state.tuned.load(std::memory_order_relaxed)) {
    impl_->first_call_done(state, std::string(name), impl_->regions.resolve(options));
  }
}

Report ContextualAutotuner::report() const {
  return impl_->regions.reports().all();
}

RegionReport ContextualAutotuner::report(std::string_view region) const {
  const Report all = report();
  if (const RegionReport* run = all.find(region)) {
    return *run;
  }
  std::string known;
  for (const RegionReport& run : all.runs) {
    known += " \"" + run.region + '"';
  }
  throw InvalidArgument("this tuner has not run region \"" + std::string(region) + "\"; it has run" +
                        (known.empty() ? " none" : known));
}

}  // namespace contextual
