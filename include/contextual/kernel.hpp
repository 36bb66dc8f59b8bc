#pragma once

/// \file
/// TunableKernel: a named launchable with a config space. Call it like a function.

#include <contextual/config_space.hpp>
#include <contextual/detail/kernel_core.hpp>
#include <contextual/detail/launch_call.hpp>
#include <contextual/detail/signature.hpp>
#include <contextual/error.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/launch_registry.hpp>
#include <contextual/launch_status.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace contextual {

/// A tunable kernel, on the GPU or the host. `Signature` is the launcher's, `R(const C&, Args...)`, deduced
/// from its arguments; for generic or overloaded callables name it.
///
/// Called with `Args...` it launches: inside a region that is being tuned with the config that is due; else
/// with what was locked in for the active region, else the last lock-in for the key, else the default.
///
/// A launcher rejects a config by throwing ConfigRejected or by returning a failing status (launch_status),
/// both before it had any effect. Arguments reach it as lvalues, since a launch may be retried.
///
/// Thread-safe to call. Not copyable, not movable. Constructing never throws on a bad config space: the first
/// launch does. Names are unique among living kernels.
template <typename Signature>
class TunableKernel {
  static_assert(
      detail::dependent_false<Signature>,
      "a launcher is called as R(const C&, Args...): it takes the config first, by const reference");
};

template <typename R, typename C, typename... Args>
class TunableKernel<R(const C&, Args...)> {
  static_assert((!std::is_rvalue_reference_v<Args> && ...),
                "a launcher takes its arguments by value or as lvalue references: a launch may be retried");

 public:
  using Launcher = std::function<R(const C&, Args&...)>;
  using KeyFunction = std::function<Key(const std::remove_reference_t<Args>&...)>;
  using Options = KernelOptions<R(const C&, Args...)>;

  /// `key` takes the same arguments as a launch. Throws nothing but std::bad_alloc.
  TunableKernel(std::string name, ConfigSpace<C> space, KeyFunction key, Launcher launcher,
                Options options = {})
      : space_(std::make_shared<const ConfigSpace<C>>(std::move(space))),
        key_(std::move(key)),
        launcher_(std::move(launcher)),
        options_(std::move(options)),
        core_(std::make_shared<detail::KernelCore>(traits(std::move(name)))),
        registration_(core_) {}
  TunableKernel(const TunableKernel&) = delete;
  TunableKernel& operator=(const TunableKernel&) = delete;
  ~TunableKernel() = default;

  R operator()(Args... args) {
    const Key key = key_(args...);
    const int config_id = core_->resolve(key);
    if (config_id >= 0) [[likely]] {
      return launcher_(config(static_cast<std::size_t>(config_id)), args...);
    }
    return launch_while_tuning(key, args...);
  }

  /// For a kernel that launches by itself outside of tuning: the config of a launch with this key, or
  /// KernelCore::tuning, where it has to call `launch_while_tuning`.
  int resolve(const Key& key) const { return core_->resolve(key); }
  /// `key` is that of the arguments.
  R launch_while_tuning(const Key& key, Args&... args) {
    const auto bound_prune = [&](std::size_t id) { return options_.prune(config(id), args...); };
    detail::PruneView prune;
    if (options_.prune) {
      prune.bound = &bound_prune;
      prune.prune = [](const void* bound, std::size_t id) {
        return (*static_cast<const decltype(bound_prune)*>(bound))(id);
      };
    }
    detail::LaunchCall call(*core_, key, prune, detail::stream_of(args...));
    for (;;) {
      if (call.config_changed() && options_.reset) {
        options_.reset(args...);
      }
      try {
        if constexpr (std::is_void_v<R>) {
          launch_timed(call, args...);
          if (accept(call, args...)) {
            return;
          }
        } else {
          if (auto before = begin_launch_status<R>()) {
            call.found_before(*before);
          }
          R result = launch_timed(call, args...);
          if (auto lost = device_failure(result)) {
            call.device_failed(*lost);
          }
          if (auto failure = launch_failure(result)) {
            call.reject(*failure);
          } else if (accept(call, args...)) {
            return std::forward<R>(result);
          }
        }
      } catch (const ConfigRejected& rejected) {
        call.reject(rejected.what());
      }
    }
  }

  const std::string& name() const noexcept { return core_->traits().name; }
  const ConfigSpace<C>& space() const noexcept { return *space_; }

 private:
  detail::KernelTraits traits(std::string name) {
    detail::KernelTraits traits;
    traits.name = std::move(name);
    traits.participation = options_.participation;
    traits.coupling = options_.coupling;
    traits.key_names = options_.key_names;
    traits.space = [space = space_] { return space->view(); };
    if (options_.prepare || options_.prepare_for) {
      traits.prepare = [space = space_, prepare = options_.prepare, prepare_for = options_.prepare_for](
                           std::size_t id, const Key& key) {
        if (prepare) {
          prepare((*space)[id]);
        }
        if (prepare_for) {
          prepare_for((*space)[id], key);
        }
      };
    }
    if (options_.preload) {
      traits.preload = [space = space_, preload = options_.preload](std::size_t id) {
        preload((*space)[id]);
      };
    }
    traits.takes_stream = detail::takes_stream<Args...>;
    return traits;
  }

  /// `id` comes from the engine. The space is generated by then; asking it would take its lock.
  const C& config(std::size_t id) const {
    const C* configs = configs_.load(std::memory_order_acquire);
    if (configs == nullptr) [[unlikely]] {
      configs = space_->configs().data();
      configs_.store(configs, std::memory_order_release);
    }
    return configs[id];
  }

  R launch_timed(detail::LaunchCall& call, Args&... args) {
    if (options_.before_launch) {
      options_.before_launch(call.info(), args...);
    }
    struct Timed {
      detail::LaunchCall& call;
      explicit Timed(detail::LaunchCall& timed) : call(timed) { call.start(); }
      ~Timed() { call.stop(); }
    } timed(call);
    return launcher_(config(call.config_id()), args...);
  }

  /// False: the result was wrong and the fallback is to be launched.
  bool accept(detail::LaunchCall& call, Args&... args) {
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

  std::shared_ptr<const ConfigSpace<C>> space_;
  mutable std::atomic<const C*> configs_{nullptr};
  KeyFunction key_;
  Launcher launcher_;
  Options options_;
  std::shared_ptr<detail::KernelCore> core_;
  KernelRegistration registration_;
};

template <typename C, typename KeyFn, typename L>
TunableKernel(std::string, ConfigSpace<C>, KeyFn, L, KernelOptions<detail::launcher_signature_t<L>>)
    -> TunableKernel<detail::launcher_signature_t<L>>;
template <typename C, typename KeyFn, typename L>
TunableKernel(std::string, ConfigSpace<C>, KeyFn, L) -> TunableKernel<detail::launcher_signature_t<L>>;

}  // namespace contextual
