#include "contextual/launch/launch_call.hpp"

#include <contextual/detail/launch/chosen_launch.hpp>
#include <contextual/detail/launch/erased_engine.hpp>
#include <contextual/error.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace contextual::detail {

namespace {

void* writable(const void* argument) noexcept {
  return const_cast<void*>(argument);
}

/// Calls a hook that takes something before the launch's arguments.
template <typename R>
R call_with(const PackedResult<R>& hook, const void* first, void** arguments) {
  arguments[-1] = writable(first);
  return hook.call(arguments - 1);
}

/// The traits may outlive the kernel, so they have copies of what they need.
KernelTraits traits_of(std::string name, const ErasedSpace& space, const KernelHooks& hooks, LaunchKind kind,
                       bool takes_stream, const void* code, std::function<std::string()> source) {
  KernelTraits traits;
  traits.choice_point = kind == LaunchKind::choice_point;
  traits.function = kind == LaunchKind::function;
  traits.name = std::move(name);
  traits.participation = hooks.participation;
  traits.coupling = hooks.coupling;
  traits.key_names = hooks.key_names;
  traits.takes_stream = takes_stream;
  traits.has_check = static_cast<bool>(hooks.check);
  traits.space = [space] { return space.view(); };
  traits.version = hooks.version;
  traits.code = code;
  traits.source = std::move(source);
  traits.load_needs_key = hooks.load_needs_key;
  if (hooks.load) {
    traits.load = [space, load = hooks.load](std::size_t id, const Key* key) {
      void* const arguments[] = {writable(space.config(id)), &key};
      load.call(arguments);
    };
  }
  return traits;
}

}  // namespace

ErasedEngine::ErasedEngine(std::string name, const ErasedSpace& space, KernelHooks hooks, LaunchKind kind,
                           bool takes_stream, const void* code, std::function<std::string()> source)
    : space_(space),
      hooks_(std::move(hooks)),
      hooked_(hooks_.reset || hooks_.before_launch || hooks_.after_launch || hooks_.check),
      takes_stream_(takes_stream),
      asks_keep_(static_cast<bool>(hooks_.keep)),
      core_(std::make_shared<KernelCore>(
          traits_of(std::move(name), space, hooks_, kind, takes_stream, code, std::move(source)))),
      registration_(core_) {}

ErasedEngine::~ErasedEngine() = default;

bool ErasedEngine::keeps(std::size_t config_id, void** arguments) const {
  return !asks_keep_ || call_with(hooks_.keep, space_.config(config_id), arguments);
}

int ErasedEngine::refused(int resolved, const Key& key, void** arguments) const {
  replace_refused(*core_, key, KernelCore::resolved_id(resolved));
  if (!keeps(0, arguments)) {
    tell_of_refused_default(*core_, key);
  }
  return resolved <= KernelCore::first_watched ? KernelCore::first_watched : 0;
}

void ErasedEngine::meet(std::size_t config_id, void** arguments) const {
  if (hooks_.meet) {
    call_with(hooks_.meet, space_.config(config_id), arguments);
  }
}

void ErasedEngine::launch_in_run(int resolved, const Key& key, const ErasedLaunch& launch) const {
  if (resolved != KernelCore::tuning) [[unlikely]] {
    launch_watched(KernelCore::resolved_id(resolved), key, launch);
    return;
  }
  LaunchCall call(*this, key, launch);
  if (hooks_.work && call.wants_work()) [[unlikely]] {
    call.add_work(hooks_.work.call(launch.arguments));
  }
  for (;;) {
    if (hooked_ && hooks_.reset && call.config_changed()) {
      hooks_.reset.call(launch.arguments);
    }
    try {
      begin(call, launch);
      run(call, launch);
      if (launch.status != nullptr) {
        if (const auto lost = launch.status->device_failure(launch.launch)) {
          call.device_failed(*lost);
        }
        if (const auto failure = launch.status->failure(launch.launch)) {
          launch.discard(launch.launch);
          call.reject(*failure);
          continue;
        }
      }
      if (accept(call, launch)) {
        return;
      }
    } catch (const ConfigRejected& rejected) {
      call.reject(rejected.what());
    }
    launch.discard(launch.launch);  // before the hooks of the next launch, which may need what it holds
  }
}

void ErasedEngine::run(const LaunchCall& call, const ErasedLaunch& launch) {
  try {
    launch.run(launch.launch, call.config_id());
  } catch (const ConfigRejected&) {
    throw;
  } catch (...) {  // also what ends a thread
    call.launcher_threw(std::current_exception());
    throw;
  }
}

/// In a run with nothing to tune: as detail::launch_chosen.
void ErasedEngine::launch_watched(std::size_t config_id, const Key& key, const ErasedLaunch& launch) const {
  try {
    launch.run(launch.launch, config_id);
    if (launch.status == nullptr) {
      return;
    }
    const auto failure = launch.status->failure(launch.launch);
    if (!failure || launch.status->device_failure(launch.launch) ||
        !falls_back(*core_, key, config_id, *failure)) {
      return;
    }
  } catch (const ConfigRejected& rejected) {
    if (!falls_back(*core_, key, config_id, rejected.what())) {
      throw;
    }
  }
  launch.run(launch.launch, 0);
}

/// Does everything between the choice of a config and its launch.
void ErasedEngine::begin(LaunchCall& call, const ErasedLaunch& launch) const {
  if (hooked_ && hooks_.before_launch) {
    call_with(hooks_.before_launch, &call.info(), launch.arguments);
  }
  if (launch.status != nullptr) {
    if (const auto before = launch.status->begin()) {
      call.found_before(*before);
    }
  }
  call.start();
}

/// Returns false if the result was wrong; the fallback is then to be launched.
bool ErasedEngine::accept(LaunchCall& call, const ErasedLaunch& launch) const {
  if (hooked_) [[unlikely]] {
    return accept_with_hooks(call, launch);
  }
  call.finish();
  return true;
}

bool ErasedEngine::accept_with_hooks(LaunchCall& call, const ErasedLaunch& launch) const {
  call.stop();
  std::string reason;
  try {
    if (hooks_.after_launch) {
      call_with(hooks_.after_launch, &call.info(), launch.arguments);
    }
    if (hooks_.check && call.wants_check() &&
        !call_with(hooks_.check, space_.config(call.config_id()), launch.arguments)) {
      reason = "the check of its result failed";
    }
  } catch (const ConfigRejected& rejected) {
    reason = rejected.what();
  }
  if (!reason.empty() && call.reject_result(reason, static_cast<bool>(hooks_.reset))) {
    return false;
  }
  call.finish();
  return true;
}

}  // namespace contextual::detail
