#pragma once

/// \file
/// The part of a tunable kernel that depends on its types but not on how it is launched.

#include <contextual/config_space.hpp>
#include <contextual/detail/launch/chosen_launch.hpp>
#include <contextual/detail/launch/config_table.hpp>
#include <contextual/detail/launch/erased_engine.hpp>
#include <contextual/detail/launch/erased_launch.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/launch/kernel_hooks.hpp>
#include <contextual/detail/launch/signature.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/key.hpp>
#include <contextual/launch_status.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace contextual::detail {

/// A registered kernel with its configs and options. Its owner computes the key, of whose function the
/// engine has a copy, and launches a config:
///
///     const int config_id = engine.resolve(key, args...);
///     if (config_id >= 0) [[likely]] {
///       return engine.launch_chosen(config_id, key, launch);
///     }
///     return engine.launch_in_run(config_id, key, launch, args...);
///
/// Outside of tuning, no code of the engine runs between the owner's code and the launch, unless that fails.
/// What does not depend on the types is in ErasedEngine. Thread-safe; not copyable.
template <typename Signature>
class LaunchEngine;

template <typename R, typename C, typename... Args>
class LaunchEngine<R(const C&, Args...)> {
 public:
  using Options = KernelOptions<R(const C&, Args...)>;
  using KeyFunction = CheckedHook<KeyFits, Key(const std::remove_reference_t<Args>&...)>;
  using MeetFunction = CheckedHook<KeepFits, void(const C&, const std::remove_reference_t<Args>&...)>;

  /// `code` is an address in the module that defines the kernel, see ErasedCallable::code. `source` returns
  /// what stands for the kernel's source code, and throws nothing; it may be empty. `meet` gets, at a tuning
  /// problem's first launch in a run, every config that `keep` allows.
  LaunchEngine(std::string name, ConfigSpace<C> space, KeyFunction key, const void* code, Options options,
               LaunchKind kind = LaunchKind::kernel, std::function<std::string()> source = {},
               MeetFunction meet = {})
      : configs_(std::move(space)),
        erased_(std::move(name), configs_.space().erased(), hooks_of(key, options, meet), kind,
                takes_stream<Args...> || is_status_of_device<R>(), code, std::move(source)) {}
  LaunchEngine(const LaunchEngine&) = delete;
  LaunchEngine& operator=(const LaunchEngine&) = delete;

  const std::string& name() const noexcept { return core().traits().name; }
  const ConfigSpace<C>& space() const noexcept { return configs_.space(); }
  const C& config(std::size_t config_id) const { return configs_[config_id]; }
  const KernelCore& core() const noexcept { return erased_.core(); }

  /// Returns the id of the config to launch with these arguments, or a negative number if `launch_in_run`
  /// must be called. Without a `keep`, that costs one look for it more than KernelCore::resolve.
  [[gnu::always_inline]] int resolve(const Key& key, const std::remove_reference_t<Args>&... args) const {
    const int resolved = core().resolve(key);
    return erased_.asks_keep() ? allowed(resolved, key, args...) : resolved;
  }

  /// Returns true if the config is a candidate for a launch with these arguments, by the options' `keep`.
  /// Calls that function; does not check `config_id`.
  bool keeps(std::size_t config_id, const std::remove_reference_t<Args>&... args) const {
    if (!erased_.asks_keep()) {
      return true;
    }
    void* const addresses[] = {address_of(configs_[config_id]), address_of(args)...};
    return erased_.keeps(addresses);
  }

  /// Returns what the options' `work` says of a launch with these arguments; nothing without it.
  KernelWork work(const std::remove_reference_t<Args>&... args) const {
    void* addresses[] = {nullptr, address_of(args)...};
    return erased_.work(addresses + 1);
  }

  /// Launches what `resolve` has returned, or the default if that fails: see falls_back. `launch(id)`
  /// launches a config.
  template <typename Launch>
  [[gnu::always_inline]] R launch_chosen(int config_id, const Key& key, const Launch& launch) const {
    const auto id = static_cast<std::size_t>(config_id);
    return detail::launch_chosen<R>(id, launch, FallsBack{core(), key, id});
  }

  /// Launches inside a run. `resolved` is the result of `resolve(key)`; `launch(id)` launches a config with
  /// `args`. Not inlined, so that launches outside of tuning do without its stack frame; `launch` is copied,
  /// so that they do without one in memory.
  template <typename Launch>
  [[gnu::noinline]] R launch_in_run(int resolved, const Key& key, Launch launch, Args&... args) {
    void* addresses[] = {nullptr, address_of(args)...};
    using Call = LaunchWithResult<R, Launch>;
    Call call{launch};
    erased_.launch_in_run(
        resolved, key,
        {&call, &Call::run, &Call::discard, Call::status(), addresses + 1, stream_of(args...)});
    return std::move(call).take();
  }

 private:
  static KernelHooks hooks_of(KeyFunction& key, Options& options, MeetFunction& meet) {
    KernelHooks hooks = KernelHooks::of(key, options);
    hooks.meet = std::move(meet);
    return hooks;
  }

  /// Not inlined, so that launches of kernels without a `keep` do without its stack frame.
  [[gnu::noinline]] int allowed(int resolved, const Key& key,
                                const std::remove_reference_t<Args>&... args) const {
    if (resolved == KernelCore::tuning) {
      return resolved;  // the run decides: LaunchCall asks
    }
    void* addresses[] = {address_of(configs_[KernelCore::resolved_id(resolved)]), address_of(args)...};
    return erased_.keeps(addresses) ? resolved : erased_.refused(resolved, key, addresses + 1);
  }

  ConfigTable<C> configs_;
  ErasedEngine erased_;
};

}  // namespace contextual::detail
