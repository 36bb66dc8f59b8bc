#pragma once

/// \file
/// The tunable kernel that a KernelTuner makes of a launcher: its key is the request, which is therefore the
/// first argument of each launch. All arguments are references to those of `tune`.

#include <contextual/config_space.hpp>
#include <contextual/detail/tuning/function_kernel.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/key.hpp>
#include <contextual/timer.hpp>
#include <contextual/tune_request.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace contextual::detail {

template <typename Signature>
struct TunedLaunch;

template <typename R, typename C, typename... Args>
struct TunedLaunch<R(const C&, Args...)> {
  using KernelOfRequests = FunctionKernel<R(const C&, const TuneRequest&, Args&...)>;
  using OptionsOfRequests = typename KernelOfRequests::Options;

  /// The kernel type is in the name of the region. A device that the request leaves out is found by the
  /// engine at each launch.
  static Key key(const TuneRequest& request, const std::remove_reference_t<Args>&... /*args*/) {
    Key key;
    for (const std::int64_t size : request.problem_size) {
      key.append(size);
    }
    if (!request.device.empty()) {
      key.append(request.device);
    }
    return key;
  }

  /// The launcher as a function, which may launch tunable kernels: these are then tuned first.
  class Kernel {
   public:
    Kernel(std::string name, ConfigSpace<C> space, const DirectCallable<R(const C&, Args&...)>& launch,
           KernelOptions<R(const C&, Args...)> options)
        : launch_(launcher(launch)),
          kernel_(std::move(name), std::move(space), TunedLaunch::key, launch_,
                  TunedLaunch::options(std::move(options))) {}
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    void operator()(const TuneRequest& request, Args&... args) {
      std::size_t used = 0;
      static_cast<void>(kernel_.launch(used, TunedLaunch::key(request, args...), request, args...));
    }
    bool keeps(std::size_t config_id, const TuneRequest& request,
               const std::remove_reference_t<Args>&... args) const {
      return kernel_.engine().keeps(config_id, request, args...);
    }
    KernelWork work(const TuneRequest& request, const std::remove_reference_t<Args>&... args) const {
      return kernel_.engine().work(request, args...);
    }
    const ConfigSpace<C>& space() const noexcept { return kernel_.engine().space(); }

   private:
    using Launcher = CheckedFunction<LauncherFits, R(const C&, const TuneRequest&, Args&...)>;

    static Launcher launcher(const DirectCallable<R(const C&, Args&...)>& launch) {
      Launcher with_request = [launch](const C& config, const TuneRequest& /*request*/, Args&... args) -> R {
        return launch(config, args...);
      };
      with_request.stands_for(launch);
      return with_request;
    }

    const Launcher launch_;
    KernelOfRequests kernel_;
  };

  /// The same options for launches with a request.
  static OptionsOfRequests options(KernelOptions<R(const C&, Args...)> of) {
    OptionsOfRequests with;
    with.load = std::move(of.load);
    if (of.keep) {
      with.keep = [keep = std::move(of.keep)](const C& config, const TuneRequest& /*request*/,
                                              const std::remove_reference_t<Args>&... args) {
        return keep(config, args...);
      };
    }
    with.before_launch = hook(std::move(of.before_launch));
    with.after_launch = hook(std::move(of.after_launch));
    if (of.reset) {
      with.reset = [reset = std::move(of.reset)](const TuneRequest& /*request*/, Args&... args) {
        reset(args...);
      };
    }
    if (of.check) {
      with.check = [check = std::move(of.check)](const C& config, const TuneRequest& /*request*/,
                                                 Args&... args) { return check(config, args...); };
    }
    if (of.work) {
      with.work = [work = std::move(of.work)](const TuneRequest& /*request*/,
                                              const std::remove_reference_t<Args>&... args) {
        return work(args...);
      };
    }
    with.participation = of.participation;
    with.coupling = std::move(of.coupling);
    with.version = std::move(of.version);
    with.key_names = std::move(of.key_names);
    return with;
  }

 private:
  template <typename Hook>
  static CheckedHook<HookFits, void(const LaunchInfo&, const TuneRequest&, Args&...)> hook(Hook of) {
    if (!of) {
      return nullptr;
    }
    return [of = std::move(of)](const LaunchInfo& info, const TuneRequest& /*request*/, Args&... args) {
      of(info, args...);
    };
  }
};

}  // namespace contextual::detail
