#pragma once

/// \file
/// TunableKernel: a named launchable with a config space. Call it like a function.

#include <contextual/config_space.hpp>
#include <contextual/detail/config/checked_callable.hpp>
#include <contextual/detail/launch/kernel_arguments.hpp>
#include <contextual/detail/launch/launch_engine.hpp>
#include <contextual/detail/launch/signature.hpp>
#include <contextual/kernel_options.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace contextual {

/// A tunable kernel, on the GPU or the host.
///
/// `Signature` is the launcher's signature, `R(const C&, Args...)`, where C is the type of the configs. It is
/// deduced from the constructor's arguments; a generic or overloaded launcher needs it to be written out.
///
/// A call with `Args...` launches one config. Inside a region that is being tuned, this is the config that
/// is due. Elsewhere it is the config locked in for the active region; without one, the key's
/// last lock-in in any region; without that, the default.
///
/// A launcher rejects a config by throwing ConfigRejected or by returning a failing status (launch_status).
/// It does so before the launch has any effect. Arguments reach it as lvalues, since a launch may be retried.
///
/// Calls are thread-safe. The object can be neither copied nor moved. Constructing it never throws for a bad
/// config space: the first launch throws ConfigSpaceError. A launch throws InvalidArgument while two living
/// kernels have the same name, and, in a process that sees GPUs of several kinds, while one of another kind
/// than that of the first launch is current.
template <typename Signature>
class TunableKernel : detail::NotALauncher<Signature> {};

template <typename R, typename C, typename... Args>
class TunableKernel<R(const C&, Args...)> {
  static_assert((!std::is_rvalue_reference_v<Args> && ...),
                "a launcher takes its arguments by value or as lvalue references: a launch may be retried");

  using CheckedKey = detail::CheckedFunction<detail::KeyFits, Key(const std::remove_reference_t<Args>&...)>;
  using CheckedLauncher = detail::CheckedFunction<detail::LauncherFits, R(const C&, Args&...)>;

 public:
  using Launcher = CheckedLauncher;
  using KeyFunction = CheckedKey;
  using Options = KernelOptions<R(const C&, Args...)>;

  /// `key` takes the same arguments as a launch, and depends on nothing else: the tuner may call a copy of it
  /// once more. `key` and `launcher` may be any copyable callables of the
  /// right signature; for others, a compile-time message names the one that does not fit. The kernel keeps
  /// copies of all arguments. Throws std::bad_alloc only.
  TunableKernel(std::string name, ConfigSpace<C> space, CheckedKey key, CheckedLauncher launcher,
                Options options = {})
      : key_(std::move(key)),
        launcher_(std::move(launcher)),
        engine_(std::move(name), std::move(space), key_, launcher_.code(), std::move(options)) {}
  /// Chosen when `space` is not a ConfigSpace<C>. It never compiles, and its message says so.
  template <typename Space>
  requires(!std::is_convertible_v<Space, ConfigSpace<C>>)
      TunableKernel(std::string name, const Space& /*space*/, CheckedKey key, CheckedLauncher launcher,
                    Options options = {})
      : TunableKernel(std::move(name), ConfigSpace<C>(), std::move(key), std::move(launcher),
                      std::move(options)) {
    static_cast<void>(detail::SpaceFits<std::is_convertible_v<Space, ConfigSpace<C>>>{});
  }
  TunableKernel(const TunableKernel&) = delete;
  TunableKernel& operator=(const TunableKernel&) = delete;
  ~TunableKernel() = default;

  /// Launches with the config chosen as described above, on the calling thread, and returns the launcher's
  /// result. Adds no wait for a device or for another rank. Inside a region that is being tuned it throws
  /// TuningFailedError if no config is left to launch.
  R operator()(Args... args) {
    const Key key = key_(args...);
    const int config_id = engine_.resolve(key, args...);
    const auto launch = [&](std::size_t id) -> R { return launcher_(engine_.config(id), args...); };
    if (config_id >= 0) [[likely]] {
      return engine_.launch_chosen(config_id, key, launch);
    }
    return engine_.launch_in_run(config_id, key, launch, args...);
  }

  /// Returns the key of a launch with these arguments.
  Key key(const std::remove_reference_t<Args>&... args) const { return key_(args...); }
  /// Returns true unless `keep` does not allow the config for a launch with these arguments. `config_id` is
  /// below `space().size()`.
  bool keeps(std::size_t config_id, const std::remove_reference_t<Args>&... args) const {
    return engine_.keeps(config_id, args...);
  }

  /// Returns the work of a launch with these arguments, as KernelOptions::work says; nothing without it.
  KernelWork work(const std::remove_reference_t<Args>&... args) const { return engine_.work(args...); }

  const std::string& name() const noexcept { return engine_.name(); }
  const ConfigSpace<C>& space() const noexcept { return engine_.space(); }

 private:
  KeyFunction key_;
  Launcher launcher_;
  detail::LaunchEngine<R(const C&, Args...)> engine_;
};

template <typename Space, typename KeyFn, typename L>
TunableKernel(std::string, Space, KeyFn, L, KernelOptions<detail::launcher_signature_t<L>>)
    -> TunableKernel<detail::launcher_signature_t<L>>;
template <typename Space, typename KeyFn, typename L>
TunableKernel(std::string, Space, KeyFn, L) -> TunableKernel<detail::launcher_signature_t<L>>;
/// Never compiles, and its message says why.
template <typename Space, typename L>
TunableKernel(std::string, Space, L) -> TunableKernel<detail::WithoutKey<L>>;

}  // namespace contextual
