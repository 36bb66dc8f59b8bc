#pragma once

/// \file
/// The part of a tunable kernel that depends on its types but not on how it is launched.

#include <contextual/config_space.hpp>
#include <contextual/detail/launch/chosen_launch.hpp>
#include <contextual/detail/launch/config_table.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/launch/launch_call.hpp>
#include <contextual/detail/launch/signature.hpp>
#include <contextual/error.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/launch_registry.hpp>
#include <contextual/launch_status.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace contextual::detail {

/// What the configs of a launch are: a kernel's, alternatives that may launch kernels of their own, or those
/// of a function, which may launch kernels or not.
enum class LaunchKind { kernel, choice_point, function };

/// A registered kernel with its configs and options. Its owner computes the key and launches a config:
///
///     const int config_id = engine.resolve(key);
///     if (config_id >= 0) [[likely]] {
///       return engine.launch_chosen(config_id, key, launch);
///     }
///     return engine.launch_in_run(config_id, key, launch, args...);
///
/// Outside of tuning, no code of the engine runs between the owner's code and the launch, unless that fails.
/// Thread-safe; not copyable.
template <typename Signature>
class LaunchEngine;

template <typename R, typename C, typename... Args>
class LaunchEngine<R(const C&, Args...)> {
 public:
  using Options = KernelOptions<R(const C&, Args...)>;

  /// `source` returns what stands for the kernel's source code, and throws nothing; it may be empty.
  LaunchEngine(std::string name, std::shared_ptr<const ConfigSpace<C>> space, Options options,
               LaunchKind kind = LaunchKind::kernel, const std::function<std::string()>& source = {})
      : configs_(std::move(space)),
        options_(std::move(options)),
        hooked_(options_.reset || options_.before_launch || options_.after_launch || options_.check),
        core_(std::make_shared<KernelCore>(traits(std::move(name), kind, source))),
        registration_(core_) {}
  LaunchEngine(const LaunchEngine&) = delete;
  LaunchEngine& operator=(const LaunchEngine&) = delete;

  const std::string& name() const noexcept { return core_->traits().name; }
  const ConfigSpace<C>& space() const noexcept { return *configs_.space(); }
  const C& config(std::size_t config_id) const { return configs_[config_id]; }
  const KernelCore& core() const noexcept { return *core_; }

  /// Returns the id of the config to launch for this key, or a negative number if `launch_in_run` must be
  /// called.
  int resolve(const Key& key) const { return core_->resolve(key); }

  /// Returns true if the config is a candidate for a launch with these arguments, by the options' `keep`.
  /// Calls that function; does not check `config_id`.
  bool keeps(std::size_t config_id, const std::remove_reference_t<Args>&... args) const {
    return !options_.keep || options_.keep(config(config_id), args...);
  }

  /// Launches what `resolve` has returned, or the default if that fails: see falls_back. `launch(id)`
  /// launches a config.
  template <typename Launch>
  [[gnu::always_inline]] R launch_chosen(int config_id, const Key& key, const Launch& launch) const {
    const auto id = static_cast<std::size_t>(config_id);
    return detail::launch_chosen<R>(id, launch, FallsBack{core_, key, id});
  }

  /// Launches inside a run. `resolved` is the result of `resolve(key)`; `launch(id)` launches a config with
  /// `args`. Not inlined, so that launches outside of tuning do without its stack frame; `launch` is copied,
  /// so that they do without one in memory.
  template <typename Launch>
  [[gnu::noinline]] R launch_in_run(int resolved, const Key& key, Launch launch, Args&... args) {
    if (resolved != KernelCore::tuning) [[unlikely]] {
      return launch_chosen(KernelCore::first_watched - resolved, key, launch);
    }
    const auto asked = [&](std::size_t id) { return keeps(id, args...); };
    LaunchCall call(*core_, key, options_.keep ? KeepView(asked) : KeepView(), takes_stream<Args...>,
                    stream_of(args...));
    if (options_.work && call.wants_work()) [[unlikely]] {
      call.add_work(options_.work(args...));
    }
    for (;;) {
      if (hooked_ && options_.reset && call.config_changed()) {
        options_.reset(args...);
      }
      try {
        begin(call, args...);
        if constexpr (std::is_void_v<R>) {
          launch(call.config_id());
          if (accept(call, args...)) {
            return;
          }
        } else {
          R result = launch(call.config_id());
          if (succeeded(call, result) && accept(call, args...)) {
            return std::forward<R>(result);
          }
        }
      } catch (const ConfigRejected& rejected) {
        call.reject(rejected.what());
      }
    }
  }

 private:
  KernelTraits traits(std::string name, LaunchKind kind, const std::function<std::string()>& source) const {
    KernelTraits traits;
    traits.choice_point = kind == LaunchKind::choice_point;
    traits.function = kind == LaunchKind::function;
    traits.name = std::move(name);
    traits.participation = options_.participation;
    traits.coupling = options_.coupling;
    traits.key_names = options_.key_names;
    traits.takes_stream = takes_stream<Args...> && !traits.choice_point;
    // The traits may outlive the kernel, so they share what they need.
    const std::shared_ptr<const ConfigSpace<C>> space = configs_.space();
    traits.space = [space] { return space->view(); };
    traits.version = [version = options_.version, source] { return source ? version + source() : version; };
    if (options_.load || options_.prepare || options_.prepare_for) {
      traits.prepare = [space, load = options_.load, prepare = options_.prepare,
                        prepare_for = options_.prepare_for](std::size_t id, const Key& key) {
        if (load) {
          load((*space)[id]);
        }
        if (prepare) {
          prepare((*space)[id]);
        }
        if (prepare_for) {
          prepare_for((*space)[id], key);
        }
      };
    }
    if (options_.load || options_.preload) {
      traits.preload = [space, load = options_.load, preload = options_.preload](std::size_t id) {
        if (load) {
          load((*space)[id]);
        }
        if (preload) {
          preload((*space)[id]);
        }
      };
    }
    return traits;
  }

  /// Does everything between the choice of a config and its launch.
  void begin(LaunchCall& call, Args&... args) {
    if (hooked_ && options_.before_launch) {
      options_.before_launch(call.info(), args...);
    }
    if constexpr (!std::is_void_v<R>) {
      if (auto before = begin_launch_status<R>()) {
        call.found_before(*before);
      }
    }
    call.start();
  }

  /// Returns false if the launch failed before it had any effect; the fallback is then to be launched.
  template <typename Result>
  static bool succeeded(LaunchCall& call, const Result& result) {
    if (auto lost = device_failure(result)) {
      call.device_failed(*lost);
    }
    if (auto failure = launch_failure(result)) {
      call.reject(*failure);
      return false;
    }
    return true;
  }

  /// Returns false if the result was wrong; the fallback is then to be launched.
  bool accept(LaunchCall& call, Args&... args) {
    if (hooked_) [[unlikely]] {
      return accept_with_hooks(call, args...);
    }
    call.finish();
    return true;
  }
  [[gnu::noinline]] bool accept_with_hooks(LaunchCall& call, Args&... args) {
    call.stop();
    std::string reason;
    try {
      if (options_.after_launch) {
        options_.after_launch(call.info(), args...);
      }
      if (options_.check && call.wants_check() && !options_.check(config(call.config_id()), args...)) {
        reason = "the check of its result failed";
      }
    } catch (const ConfigRejected& rejected) {
      reason = rejected.what();
    }
    if (!reason.empty() && call.reject_result(reason, static_cast<bool>(options_.reset))) {
      return false;
    }
    call.finish();
    return true;
  }

  ConfigTable<C> configs_;
  Options options_;
  bool hooked_;  ///< true if launches call a hook of the user, so that others need not look for hooks
  std::shared_ptr<KernelCore> core_;
  KernelRegistration registration_;
};

}  // namespace contextual::detail
