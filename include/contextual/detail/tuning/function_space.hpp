#pragma once

/// \file
/// A tuned function over one config space: all of its configs, or those in which parameters are fixed.

#include <contextual/call_options.hpp>
#include <contextual/config_space.hpp>
#include <contextual/detail/launch/chosen_launch.hpp>
#include <contextual/detail/launch/function_scope.hpp>
#include <contextual/detail/launch/lock_in_table.hpp>
#include <contextual/detail/launch/result_slot.hpp>
#include <contextual/detail/launch/signature.hpp>
#include <contextual/detail/launch/stream_capture.hpp>
#include <contextual/detail/tuning/function_kernel.hpp>
#include <contextual/detail/tuning/tuned_calls.hpp>
#include <contextual/function_options.hpp>
#include <contextual/key.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
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
  using Function = DirectCallable<R(const C&, Args&...)>;
  using Options = FunctionOptions<R(const C&, Args...)>;

  using KeyFunction = typename FunctionKernel<R(const C&, Args...)>::KeyFunction;

  FunctionSpace(const std::string& name, ConfigSpace<C> space, KeyFunction key, const Function& function,
                const Options& options, FunctionTuner& tuner)
      : options_(options),
        kernel_(name, std::move(space), std::move(key), function, kernel_options(options)),
        calls_(core(), tuner) {}
  FunctionSpace(const FunctionSpace&) = delete;
  FunctionSpace& operator=(const FunctionSpace&) = delete;

  /// Begins a call that perhaps need not tune.
  KnownCall known(const Key& key) const noexcept { return KnownCall(calls_, key); }
  bool keeps(int config_id, const std::remove_reference_t<Args>&... args) const {
    return kernel_.engine().keeps(static_cast<std::size_t>(config_id), args...);
  }
  /// Runs the config that `known` has found, which `keeps` allows.
  R run_known(int config_id, const Key& key, Args&... args) {
    const auto known = static_cast<std::size_t>(config_id);
    return launch_chosen<R>(
        known,
        [&](std::size_t id) -> R {
          if (id == known) [[likely]] {
            return kernel_.function()(kernel_.engine().config(id), args...);
          }
          return call_config(id, key, calls_.group(nullptr).region_id, args...);
        },
        [&](const std::string& reason) {
          return calls_.falls_back(calls_.group(nullptr), key, known, reason);
        });
  }

  /// Calls as `call` says.
  [[gnu::noinline]] R call(const CallOptions& call, const Key& key, Args&... args) {
    if (!call.autotune) {
      return call_default(call, key, args...);
    }
    if (TunedCalls::inside_region()) {
      calls_.tell_unused({static_cast<bool>(options_.outputs), static_cast<bool>(options_.restore),
                          static_cast<bool>(options_.before_each)});
      std::size_t used = 0;
      return kernel_.launch(used, key, args...);
    }
    TunedCalls::Group& group = calls_.group(call.communicator);
    const bool captured = is_captured(args...);
    int chosen = group.find(key);
    if (chosen == LockInTable::none && captured) {
      chosen = calls_.locked_in(group, key);
    }
    if (chosen != LockInTable::none) {
      bool tunes_again = false;
      if (!keeps(chosen, args...)) {
        tunes_again = calls_.replace_refused(group, key, static_cast<std::size_t>(chosen));
        chosen = 0;
        if (!tunes_again || captured) {
          ask_keep_for_default(key, args...);
        }
      }
      if (!tunes_again || captured) {
        const auto config_id = static_cast<std::size_t>(chosen);
        if (tells(call, args...)) {
          calls_.tell(group, key, config_id);
        }
        return call_chosen(group, config_id, key, args...);
      }
    } else if (captured) {  // nothing is tuned: what another region has locked in, or the default
      std::size_t used = 0;
      return kernel_.launch(used, key, args...);
    }
    return tune(group, call, key, args...);
  }

  const std::string& name() const noexcept { return kernel_.engine().name(); }
  const ConfigSpace<C>& space() const noexcept { return kernel_.engine().space(); }
  const KernelCore& core() const noexcept { return kernel_.engine().core(); }

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

  static bool is_captured(Args&... args) {
    return takes_stream<Args...> && stream_is_captured(stream_of(args...));
  }
  /// A region that is tuned makes its calls many times, and says itself what it chooses.
  static bool tells(const CallOptions& call, Args&... args) {
    return call.verbose && !TunedCalls::inside_region() && !is_captured(args...);
  }

  void ask_keep_for_default(const Key& key, Args&... args) const {
    if (!keeps(0, args...)) {
      tell_of_refused_default(core(), key);
    }
  }

  R call_default(const CallOptions& call, const Key& key, Args&... args) {
    core().check_device();
    static_cast<void>(core().space());  // throws for a bad one
    if (tells(call, args...)) {
      calls_.tell(calls_.group(call.communicator), key, 0);
    }
    ask_keep_for_default(key, args...);
    const DefaultsScope scope;
    return kernel_.function()(kernel_.engine().config(0), args...);
  }

  R call_config(std::size_t config_id, const Key& key, std::uint32_t region, Args&... args) const {
    const FunctionScope scope(core(), key, config_id, region);
    return kernel_.function()(kernel_.engine().config(config_id), args...);
  }

  R call_chosen(TunedCalls::Group& group, std::size_t config_id, const Key& key, Args&... args) const {
    core().check_device();
    return launch_chosen<R>(
        config_id, [&](std::size_t id) -> R { return call_config(id, key, group.region_id, args...); },
        [&](const std::string& reason) { return calls_.falls_back(group, key, config_id, reason); });
  }

  R tune(TunedCalls::Group& group, const CallOptions& call, const Key& key, Args&... args) {
    std::size_t used = 0;
    auto bound = [&]() -> R { return kernel_.launch(used, key, args...); };
    TunedCalls::Call tuned{key, call, {}, {}, {}, {}, [&used] { return used; }};
    if (options_.outputs) {
      tuned.outputs = options_.outputs(args...);
    }
    if (options_.restore) {
      tuned.restore = options_.restore(args...);
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

  const Options& options_;
  FunctionKernel<R(const C&, Args...)> kernel_;
  TunedCalls calls_;
};

}  // namespace contextual::detail
