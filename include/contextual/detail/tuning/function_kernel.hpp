#pragma once

/// \file
/// A kernel that may launch tunable kernels of its own: those of tuned functions and of a KernelTuner.

#include <contextual/config_space.hpp>
#include <contextual/detail/launch/alternative_scope.hpp>
#include <contextual/detail/launch/function_scope.hpp>
#include <contextual/detail/launch/launch_engine.hpp>
#include <contextual/error.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/key.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace contextual::detail {

template <typename Signature>
class FunctionKernel;

/// Thread-safe; not copyable. The function must outlive it.
template <typename R, typename C, typename... Args>
class FunctionKernel<R(const C&, Args...)> {
 public:
  using Function = DirectCallable<R(const C&, Args&...)>;
  using Options = KernelOptions<R(const C&, Args...)>;
  using KeyFunction = typename LaunchEngine<R(const C&, Args...)>::KeyFunction;

  FunctionKernel(std::string name, ConfigSpace<C> space, KeyFunction key, const Function& function,
                 Options options)
      : function_(function),
        engine_(std::move(name), std::move(space), std::move(key), function.code(), std::move(options),
                LaunchKind::function) {}
  FunctionKernel(const FunctionKernel&) = delete;
  FunctionKernel& operator=(const FunctionKernel&) = delete;

  /// Launches as a tunable kernel of the active region. `used` becomes the config of the launch.
  R launch(std::size_t& used, const Key& key, Args&... args) {
    const int config_id = engine_.resolve(key, args...);
    const auto launch_config = [&](std::size_t id) -> R {
      used = id;
      const FunctionScope scope(engine_.core(), key, id);
      return function_(engine_.config(id), args...);
    };
    if (config_id >= 0) {
      return engine_.launch_chosen(config_id, key, launch_config);
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

  const Function& function() const noexcept { return function_; }
  const LaunchEngine<R(const C&, Args...)>& engine() const noexcept { return engine_; }

 private:
  const Function& function_;
  LaunchEngine<R(const C&, Args...)> engine_;
};

}  // namespace contextual::detail
