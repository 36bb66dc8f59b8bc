#pragma once

/// \file
/// KernelTuner: tunes one kernel by itself, outside of any region. docs/kernel-tuner.md says when to use it.

#include <contextual/config_cache.hpp>
#include <contextual/config_space.hpp>
#include <contextual/detail/config/checked_callable.hpp>
#include <contextual/detail/launch/kernel_arguments.hpp>
#include <contextual/detail/launch/signature.hpp>
#include <contextual/detail/tuning/kernel_tuner_core.hpp>
#include <contextual/detail/tuning/request_kernel.hpp>
#include <contextual/error.hpp>
#include <contextual/kernel.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/kernel_tuner_options.hpp>
#include <contextual/key.hpp>
#include <contextual/metrics.hpp>
#include <contextual/tune_request.hpp>
#include <contextual/tuning_result.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

struct CUstream_st;

namespace contextual {

template <typename C, typename... Args>
class CudaKernel;

/// Tunes one kernel for one request after the other:
///
///     KernelTuner tuner{"vector_add", space, [](const Config& c, const Vectors& v) { add(c, v); }};
///     TuningResult result = tuner.tune({.problem_size = {1 << 20}}, vectors);
///
/// `Signature` is the launcher's signature, `R(const C&, Args...)`, as of TunableKernel, and is deduced in
/// the same way. A launcher rejects a config as a TunableKernel's does, and by any other exception that is
/// not of this library, unless the config is the default: what that throws, `tune` rethrows.
///
/// It is no second tuner: a request that is not in the cache is tuned by a ContextualAutotuner, as a region
/// that launches this kernel and nothing else. Ranks, deadlines, logs and failures are those of a `run`. The
/// region has the name of the kernel, followed by "/" and the kernel type where that is another text.
///
/// A launcher may launch tunable kernels. They are then tuned first, to the end under each config, as those
/// of a tuned function are (contextual/function.hpp), and a warning in the result says so. The times of a
/// kernel that exists, however, contain those of the kernels that it launches, which a warning says too.
///
/// Ranks: as for ContextualAutotuner. All ranks call `tune` with equal requests in the same order. Rank 0
/// looks into its cache and tells the others, so all of them use what is cached, or none.
/// Threads: one `tune` runs at a time; `cache()` may be used by any thread.
template <typename Signature>
class KernelTuner : detail::NotALauncher<Signature> {};

template <typename R, typename C, typename... Args>
class KernelTuner<R(const C&, Args...)> {
  static_assert((!std::is_rvalue_reference_v<Args> && ...),
                "a launcher takes its arguments by value or as lvalue references: it is launched many times");

  using Own = detail::RequestKernel<R(const C&, Args...)>;

 public:
  using Launcher = detail::CheckedFunction<detail::LauncherFits, R(const C&, Args&...)>;
  using OptionsOfKernel = KernelOptions<R(const C&, Args...)>;

  /// Makes a tunable kernel of this name, which no other living kernel may have. The tuner keeps copies of
  /// all arguments. `kernel_options` are those of any tunable kernel: `keep`, `load`, `check`, `version`.
  KernelTuner(std::string name, ConfigSpace<C> space, Launcher launcher, KernelTunerOptions options = {},
              OptionsOfKernel kernel_options = {})
      : own_(std::make_unique<Own>(name, std::move(space), std::move(launcher), std::move(kernel_options))),
        bind_([&own = *own_](const TuneRequest& request, Args&... args) {
          return call_of(
              own, [&] { own.launch(request, args...); }, [&] { return detail::key_of(request); }, args...);
        }),
        space_(&own_->space()),
        core_(std::move(name), std::move(options)) {}
  /// The same with a list of configs, of which the first is the default.
  KernelTuner(std::string name, std::vector<C> configs, Launcher launcher, KernelTunerOptions options = {},
              OptionsOfKernel kernel_options = {}) requires std::same_as<C, Config>
      : KernelTuner(std::move(name), ConfigSpace<C>::list(std::move(configs)), std::move(launcher),
                    std::move(options), std::move(kernel_options)) {}

  /// Tunes a kernel that exists, a TunableKernel or a CudaKernel or what has the same functions, which must
  /// outlive the tuner. What it launches depends on its own key, so requests that differ must have arguments
  /// with different keys.
  template <typename Kernel>
  requires(std::invocable<Kernel&, Args&...>&& requires(Kernel& kernel, const Args&... args) {
    { kernel.space() } -> std::convertible_to<const ConfigSpace<C>&>;
    { kernel.name() } -> std::convertible_to<std::string>;
    { kernel.key(args...) } -> std::same_as<Key>;
    { kernel.keeps(std::size_t{}, args...) } -> std::same_as<bool>;
    { kernel.work(args...) } -> std::same_as<KernelWork>;
  }) explicit KernelTuner(Kernel& kernel, KernelTunerOptions options = {})
      : bind_([&kernel](const TuneRequest& /*request*/, Args&... args) {
          detail::TunedKernelCall call = call_of(
              kernel, [&] { kernel(args...); }, [&] { return kernel.key(args...); }, args...);
          if constexpr (requires(KernelMetrics & metrics) {
                          kernel.add_metrics(std::size_t{}, metrics, std::as_const(args)...);
                        }) {
            call.add_metrics = [&](std::size_t config_id, KernelMetrics& metrics) {
              kernel.add_metrics(config_id, metrics, args...);
            };
          }
          return call;
        }),
        space_(&kernel.space()),
        core_(kernel.name(), std::move(options)) {}

  KernelTuner(const KernelTuner&) = delete;
  KernelTuner& operator=(const KernelTuner&) = delete;
  ~KernelTuner() = default;

  /// Returns the best config for the request. If the cache has one, nothing is launched. Otherwise launches
  /// the kernel with these arguments, `warmup_runs` and then `benchmark_runs` times with each config, and
  /// once more with the best one, which it puts into the cache. Launches get the arguments as lvalues, not as
  /// copies; only a kernel that exists copies what it takes by value.
  ///
  /// With CONTEXTUAL_ALWAYS_TUNE, or `always_tune`, nothing is taken from the cache. In mode `use` a request
  /// that is not cached, and in mode `off` every one, launches the kernel once and returns what it launched,
  /// without results. Where a file pins a config of the region, the cache is left alone; so is what it has
  /// for the request if some rank's `keep` leaves that out for these arguments.
  ///
  /// Throws TuningFailedError, with every reason, if all configs are rejected; RankMismatchError on all ranks
  /// if requests or config spaces differ; ConfigSpaceError or InvalidArgument for a bad space or option,
  /// where ranks on which these are good throw RegionFailedError; InvalidArgument inside a region that is
  /// being tuned; and otherwise what ContextualAutotuner::run throws.
  TuningResult tune(const TuneRequest& request, Args... args) {
    return core_.tune(request, bind_(request, args...));
  }

  /// Returns the config of a result of this tuner. Throws InvalidArgument for one of another config space.
  const C& best(const TuningResult& result) const {
    const C& config = (*space_)[result.best_config_id];
    if (space_->to_config(result.best_config_id) != result.best_config) {
      throw InvalidArgument("config " + std::to_string(result.best_config_id) + " of this tuner is " +
                            space_->describe(result.best_config_id) + ", but the result's is " +
                            result.best_config.to_string() + ": give it a result of its own");
    }
    return config;
  }

  const ConfigSpace<C>& space() const noexcept { return *space_; }

  /// Returns the cache, which finds configs by what `completed` returns for a request.
  ConfigCache& cache() { return core_.cache(); }
  /// Returns the request with the kernel type and the device that `tune` takes where it leaves them out, on
  /// this thread's current device. `tuner.cache().set(tuner.completed(request), config)` is what `tune` of
  /// that request finds.
  TuneRequest completed(const TuneRequest& request) const { return core_.completed(request); }

 private:
  /// Of the kernel with the arguments of a call.
  template <typename Kernel>
  static detail::TunedKernelCall call_of(Kernel& kernel, std::function<void()> launch,
                                         std::function<Key()> key, const Args&... args) {
    return {[&] { return kernel.space().view(); },
            std::move(launch),
            std::move(key),
            [&](std::size_t config_id) { return kernel.keeps(config_id, args...); },
            [&] { return kernel.work(args...); },
            sizeof...(Args) > 0};
  }

  std::unique_ptr<Own> own_;  ///< null for a kernel that existed before
  std::function<detail::TunedKernelCall(const TuneRequest&, Args&...)> bind_;
  const ConfigSpace<C>* space_;
  detail::KernelTunerCore core_;
};

template <typename Configs, typename L>
KernelTuner(std::string, Configs, L) -> KernelTuner<detail::launcher_signature_t<L>>;
template <typename Configs, typename L>
KernelTuner(std::string, Configs, L, KernelTunerOptions) -> KernelTuner<detail::launcher_signature_t<L>>;
template <typename Configs, typename L>
KernelTuner(std::string, Configs, L, KernelTunerOptions, KernelOptions<detail::launcher_signature_t<L>>)
    -> KernelTuner<detail::launcher_signature_t<L>>;
template <typename Signature>
KernelTuner(TunableKernel<Signature>&) -> KernelTuner<Signature>;
template <typename Signature>
KernelTuner(TunableKernel<Signature>&, KernelTunerOptions) -> KernelTuner<Signature>;
template <typename C, typename... Args>
KernelTuner(CudaKernel<C, Args...>&) -> KernelTuner<void(const C&, CUstream_st*, Args...)>;
template <typename C, typename... Args>
KernelTuner(CudaKernel<C, Args...>&, KernelTunerOptions)
    -> KernelTuner<void(const C&, CUstream_st*, Args...)>;

}  // namespace contextual
