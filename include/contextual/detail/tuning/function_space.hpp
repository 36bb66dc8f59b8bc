#pragma once

/// \file
/// A tuned function over one config space: all of its configs, or those in which parameters are fixed.

#include <contextual/call_options.hpp>
#include <contextual/config_space.hpp>
#include <contextual/detail/launch/alternative_scope.hpp>
#include <contextual/detail/launch/function_scope.hpp>
#include <contextual/detail/launch/launch_engine.hpp>
#include <contextual/detail/launch/lock_in_table.hpp>
#include <contextual/detail/launch/signature.hpp>
#include <contextual/detail/launch/stream_capture.hpp>
#include <contextual/detail/tuning/result_slot.hpp>
#include <contextual/detail/tuning/tuned_calls.hpp>
#include <contextual/error.hpp>
#include <contextual/function_options.hpp>
#include <contextual/key.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace contextual::detail {

template <typename Signature>
class FunctionSpace;

/// Thread-safe; not copyable. The function, its options and its tuner must outlive it.
template <typename R, typename C, typename... Args>
class FunctionSpace<R(const C&, Args...)> {
 public:
  using Function = std::function<R(const C&, Args&...)>;
  using Options = FunctionOptions<R(const C&, Args...)>;

  FunctionSpace(const std::string& name, ConfigSpace<C> space, const Function& function,
                const Options& options, FunctionTuner& tuner)
      : function_(function),
        options_(options),
        engine_(name, std::make_shared<const ConfigSpace<C>>(std::move(space)), kernel_options(options),
                LaunchKind::function),
        calls_(name, tuner) {}
  FunctionSpace(const FunctionSpace&) = delete;
  FunctionSpace& operator=(const FunctionSpace&) = delete;

  /// Begins a call that perhaps need not tune.
  KnownCall known(const Key& key) const noexcept { return KnownCall(calls_, engine_.core(), key); }
  /// Runs the config that `known` has found.
  R run_known(int config_id, Args&... args) const {
    return function_(engine_.config(static_cast<std::size_t>(config_id)), args...);
  }

  /// Calls as `call` says.
  [[gnu::noinline]] R call(const CallOptions& call, const Key& key, Args&... args) {
    if (!call.autotune) {
      return call_default(call, key, args...);
    }
    if (TunedCalls::inside_region()) {
      std::size_t used = 0;
      return launch(used, key, args...);
    }
    TunedCalls::Group& group = calls_.group(call.communicator);
    if (const int config_id = TunedCalls::known(group, engine_.core(), key); config_id != LockInTable::none) {
      const auto known = static_cast<std::size_t>(config_id);
      if (call.verbose) {
        calls_.tell(group, engine_.core(), key, known, "chosen before");
      }
      return call_config(known, key, TunedCalls::region_id(group), args...);
    }
    if (takes_stream<Args...> && stream_is_captured(stream_of(args...))) {
      // Nothing is tuned: what is chosen so far, what another region has locked in, or the default.
      const int so_far = TunedCalls::locked_in(group, engine_.core(), key);
      if (so_far != LockInTable::none) {
        return call_config(static_cast<std::size_t>(so_far), key, TunedCalls::region_id(group), args...);
      }
      std::size_t used = 0;
      return launch(used, key, args...);
    }
    return tune(group, call, key, args...);
  }

  const std::string& name() const noexcept { return engine_.name(); }
  const ConfigSpace<C>& space() const noexcept { return engine_.space(); }
  const KernelCore& core() const noexcept { return engine_.core(); }

 private:
  static KernelOptions<R(const C&, Args...)> kernel_options(const Options& options) {
    KernelOptions<R(const C&, Args...)> kernel = options.kernel;
    if (options.keep && kernel.keep) {
      kernel.keep = [keep = options.keep, also = options.kernel.keep](
                        const C& config, const std::remove_reference_t<Args>&... args) {
        return keep(config, args...) && also(config, args...);
      };
    } else if (options.keep) {
      kernel.keep = options.keep;
    }
    return kernel;
  }

  R call_default(const CallOptions& call, const Key& key, Args&... args) {
    static_cast<void>(engine_.core().space());  // throws for a bad one
    if (call.verbose) {
      calls_.tell(calls_.group(call.communicator), engine_.core(), key, 0, "the default, not tuned");
    }
    const DefaultsScope scope;
    return function_(engine_.config(0), args...);
  }

  R call_config(std::size_t config_id, const Key& key, std::uint32_t region, Args&... args) const {
    const FunctionScope scope(engine_.core(), key, config_id, region);
    return function_(engine_.config(config_id), args...);
  }

  /// As a tunable kernel of the active region. `used` becomes the config of the launch.
  R launch(std::size_t& used, const Key& key, Args&... args) {
    const int config_id = engine_.resolve(key);
    const auto launch_config = [&](std::size_t id) -> R {
      used = id;
      const FunctionScope scope(engine_.core(), key, id);
      return function_(engine_.config(id), args...);
    };
    if (config_id >= 0) {
      return launch_config(static_cast<std::size_t>(config_id));
    }
    return engine_.launch_in_run(
        config_id, key,
        [&](std::size_t id) -> R {
          const std::size_t before = launches_of_thread();
          try {
            return launch_config(id);
          } catch (const TuningFailedError& error) {
            if (launches_of_thread() == before) {  // its first kernel has no config: it has had no effect
              throw ConfigRejected(error.what());
            }
            throw;
          }
        },
        args...);
  }

  R tune(TunedCalls::Group& group, const CallOptions& call, const Key& key, Args&... args) {
    std::size_t used = 0;
    auto bound = [&]() -> R { return launch(used, key, args...); };
    TunedCalls::Call tuned{engine_.core(), key, call, {}, {}, {}, [&used] { return used; }};
    if (options_.restore) {
      tuned.restore = [&] { options_.restore(args...); };
    }
    if (options_.before_each) {
      tuned.before_each = [&] { options_.before_each(args...); };
    }
    if constexpr (std::is_void_v<R>) {
      tuned.call = std::ref(bound);
      calls_.tune(group, tuned);
    } else {
      ResultSlot<R> slot;
      tuned.call = [&] { slot.fill(bound); };
      calls_.tune(group, tuned);
      return std::move(slot).take();
    }
  }

  const Function& function_;
  const Options& options_;
  LaunchEngine<R(const C&, Args...)> engine_;
  TunedCalls calls_;
};

}  // namespace contextual::detail
