#include "contextual/launch/device_check.hpp"
#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/options/environment.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/printer.hpp"

#include <contextual/context_guard.hpp>
#include <contextual/detail/launch/alternative_scope.hpp>
#include <contextual/detail/launch/chosen_launch.hpp>
#include <contextual/detail/launch/lock_in_table.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/detail/tuning/tuned_calls.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace contextual::detail {
namespace {

bool is_inside(const ThreadState& thread) noexcept {
  return thread.region != 0 || thread.log != nullptr || thread.use != nullptr;
}

}  // namespace

void TunedCalls::Group::forget(const KernelCore* function) {
  const std::lock_guard lock(mutex);
  std::erase_if(known, [&](const Key& key) {
    const bool goes =
        function == nullptr || function->table()->finality(region_id, key) == ChoiceFinality::provisional;
    if (goes) {
      chosen.lock_in(0, key, LockInTable::none);
    }
    return goes;
  });
}

struct TunedCalls::Impl {
  Impl(const KernelCore& of, FunctionTuner& with)
      : function(of), region(of.traits().name), tuner(with), own(region, nullptr) {}

  options::ResolvedOptions resolve(const Options& call) const {
    return options::resolve(call, tuner.options, options::environment());
  }

  const KernelCore& function;
  const std::string& region;
  FunctionTuner& tuner;
  Group own;
  std::atomic<bool> told_unused{false};
  std::mutex mutex;
  std::map<Communicator*, std::unique_ptr<Group>> groups;  ///< with other communicators than the tuner's own
};

TunedCalls::TunedCalls(const KernelCore& function, FunctionTuner& tuner)
    : impl_(std::make_unique<Impl>(function, tuner)) {}

TunedCalls::~TunedCalls() = default;

bool TunedCalls::inside_region() noexcept {
  return is_inside(thread_state());
}

void TunedCalls::tell_unused(const Given& given) const {
  if (thread_state().log == nullptr || impl_->told_unused.load(std::memory_order_relaxed)) {
    return;  // nothing is run again, or it is said
  }
  const Options& options = impl_->tuner.options;
  std::string names;
  for (const auto& [is_given, name] : {std::pair(given.outputs || options.outputs, "outputs"),
                                       std::pair(given.restore || options.restore, "restore"),
                                       std::pair(given.before_each, "before_each")}) {
    names += is_given ? (names.empty() ? "" : ", ") + std::string(name) : "";
  }
  if (names.empty() || impl_->told_unused.exchange(true)) {
    return;
  }
  warn_once("function \"" + impl_->region +
            "\" is called inside a region, as a kernel of it, and its options are not used there: " + names +
            ". Give the region what it needs, such as `restore` and `outputs`");
}

[[gnu::hot]] int TunedCalls::enter_known(const Key& key, Outer& outer) const noexcept {
  ThreadState& thread = thread_state();
  if (is_inside(thread) || device_check_in_force.load(std::memory_order_acquire) != nullptr) {
    return LockInTable::none;
  }
  const int config_id = impl_->own.find(key);
  if (config_id != LockInTable::none) [[likely]] {
    outer = {&thread, thread.scope, thread.region};
    thread.scope = scope_of(0, impl_->function.name_hash(), key, static_cast<std::size_t>(config_id));
    thread.region = impl_->own.region_id.load(std::memory_order_relaxed);
  }
  return config_id;
}

int TunedCalls::locked_in(const Group& group, const Key& key) const {
  return impl_->function.table()->find(group.region_id, key);
}

bool TunedCalls::falls_back(Group& group, const Key& key, std::size_t config_id,
                            const std::string& reason) const {
  const ThreadStateScope outside(state_in_region(group.region_id, false));
  if (!detail::falls_back(impl_->function, key, config_id, reason)) {
    const LaunchRegistry& registry = LaunchRegistry::instance();
    if (registry.has_failed_choice(group.region_id) && !registry.of_several_ranks(group.region_id)) {
      group.forget();  // a rank alone need not meet others for that
    }
    return false;
  }
  group.chosen.lock_in(0, key, 0);
  return true;
}

bool TunedCalls::replace_refused(const Group& group, const Key& key, std::size_t config_id) const {
  const ThreadStateScope outside(state_in_region(group.region_id, false));
  return detail::replace_refused(impl_->function, key, config_id) && impl_->resolve({}).mode == Mode::tune;
}

TunedCalls::Group& TunedCalls::group(const std::shared_ptr<Communicator>& communicator) {
  if (communicator == nullptr || communicator == impl_->resolve({}).communicator) {
    return impl_->own;
  }
  const std::lock_guard lock(impl_->mutex);
  std::unique_ptr<Group>& group = impl_->groups[communicator.get()];
  if (group == nullptr) {
    // The same name on all ranks of the group.
    group = std::make_unique<Group>(impl_->region + " on " + std::to_string(communicator->size()) + " ranks",
                                    communicator);
  }
  return *group;
}

void TunedCalls::tune(Group& group, const Call& call) {
  if (impl_->region.empty()) {
    throw InvalidArgument(
        "a tuned function has an empty name: give `autotune` a name, which identifies the function's "
        "choices");
  }
  std::uint32_t region_id = 0;
  const Options options = options_of(group, call);
  const auto once = [&] {
    region_id = region_of(thread_state());
    call.call();
  };
  try {
    impl_->tuner.tuner.run(group.region, once, options);
  } catch (...) {
    group.forget(&impl_->function);
    throw;
  }
  group.forget(&impl_->function);
  group.region_id = region_id;
  if (!tunes_again(group, call, region_id)) {
    // This call has used the default if `keep` did not allow the choice for its arguments, and nothing was
    // tuned.
    const LockInTable& table = *impl_->function.table();
    const int locked = table.find(region_id, call.key);
    const bool refused = table.refused(region_id, call.key, 0).contains(locked);
    group.chosen.lock_in(0, call.key, refused ? locked : static_cast<int>(call.last_config()));
    const std::lock_guard lock(group.mutex);
    group.known.push_back(call.key);
  }
  if (call.options.verbose) {
    tell(group, call.key, call.last_config());
  }
}

/// What is provisional is tuned again by the next call, but not for ever. Alike on all ranks, because the
/// next call then communicates: where their keys differ, those of the other ranks count as well.
bool TunedCalls::tunes_again(const Group& group, const Call& call, std::uint32_t region_id) const {
  const KernelTraits& traits = impl_->function.traits();
  LockInTable& table = *impl_->function.table();
  const ChoiceFinality own = table.finality(region_id, call.key);
  if (traits.participation == Participation::all || own != ChoiceFinality::lasting) {
    return own == ChoiceFinality::provisional;
  }
  const Report report = impl_->tuner.tuner.report();
  const RegionReport* const run = report.find(group.region);
  const bool of_others =
      run != nullptr &&
      std::any_of(run->problems.begin(), run->problems.end(), [&](const ProblemReport& problem) {
        return problem.kernel == (traits.coupling.empty() ? traits.name : traits.coupling) &&
               problem.outcome == ProblemOutcome::provisional;
      });
  return of_others && table.count_attempt(region_id, call.key, 0) == ChoiceFinality::provisional;
}

Options TunedCalls::options_of(const Group& group, const Call& call) const {
  Options options;
  options.communicator = group.communicator;
  if (call.options.verbose) {
    options.print = std::max(impl_->resolve({}).print, Print::choices);
  }
  const options::ResolvedOptions given = impl_->resolve(options);
  options.outputs = given.outputs;
  options.outputs->insert(options.outputs->end(), call.outputs.begin(), call.outputs.end());
  options.restore = given.restore;
  options.restore->insert(options.restore->end(), call.restore.begin(), call.restore.end());
  if (call.before_each) {
    options.before_iteration = [first = given.before_iteration, &call](const IterationInfo& info) {
      if (first) {
        first(info);
      }
      if (info.phase != Phase::final_run) {
        call.before_each();
      }
    };
  }
  return options;
}

void TunedCalls::tell(const Group& group, const Key& key, std::size_t config_id) const {
  const std::shared_ptr<Communicator> communicator =
      group.communicator == nullptr ? impl_->resolve({}).communicator : group.communicator;
  if (communicator->rank() == 0) {
    const KernelCore& function = impl_->function;
    const std::string config = function.space().configs[config_id].to_string();
    record::print_to_stderr(
        record::call_lines(group.region, function.key_text(key),
                           "config-" + std::to_string(config_id) + " " + config + ": used by this call"));
  }
}

}  // namespace contextual::detail
