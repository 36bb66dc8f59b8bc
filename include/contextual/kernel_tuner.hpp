#pragma once

/// \file
/// KernelTuner: tunes one kernel by itself, outside of any region. docs/kernel-tuner.md says when to use it.

#include <contextual/config_cache.hpp>
#include <contextual/config_space.hpp>
#include <contextual/detail/launch/checked_function.hpp>
#include <contextual/detail/launch/kernel_arguments.hpp>
#include <contextual/detail/launch/signature.hpp>
#include <contextual/detail/tuning/kernel_tuner_core.hpp>
#include <contextual/detail/tuning/tuned_launch.hpp>
#include <contextual/kernel.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/kernel_tuner_options.hpp>
#include <contextual/tune_request.hpp>
#include <contextual/tuning_result.hpp>

#include <concepts>
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
/// the same way. A launcher rejects a config as a TunableKernel's does.
///
/// It is no second tuner: a request that is not in the cache is tuned by a ContextualAutotuner, as a region
/// that launches this kernel and nothing else. Ranks, deadlines, logs and failures are those of a `run`. The
/// region has the name of the kernel, followed by "/" and the kernel type where that is another text.
///
/// Ranks: as for ContextualAutotuner. All ranks call `tune` with equal requests in the same order. Rank 0
/// looks into its cache and tells the others, so all of them use what is cached, or none.
/// Threads: one `tune` runs at a time; `cache()` may be used by any thread.
template <typename Signature>
class KernelTuner : detail::NotALauncher<Signature> {};

template <typename R, typename C, typename... Args>
class KernelTuner<R(const C&, Args...)> {
  using Tuned = detail::TunedLaunch<R(const C&, Args...)>;

 public:
  using Launcher = detail::CheckedFunction<detail::LauncherFits, R(const C&, Args&...)>;
  using OptionsOfKernel = KernelOptions<R(const C&, Args...)>;

  /// Makes a tunable kernel of this name, which no other living kernel may have. The tuner keeps copies of
  /// all arguments. `kernel_options` are those of any tunable kernel: `keep`, `prepare`, `check`, `version`.
  KernelTuner(std::string name, ConfigSpace<C> space, Launcher launcher, KernelTunerOptions options = {},
              OptionsOfKernel kernel_options = {})
      : own_(std::make_unique<typename Tuned::Kernel>(name, std::move(space), Tuned::key,
                                                      Tuned::launcher(std::move(launcher).function()),
                                                      Tuned::options(std::move(kernel_options)))),
        launch_([kernel = own_.get()](const TuneRequest& request, Args&... args) {
          (*kernel)(request, args...);
        }),
        space_(&own_->space()),
        core_(std::move(name), std::move(options)) {}
  /// The same with a list of configs, of which the first is the default.
  KernelTuner(std::string name, std::vector<C> configs, Launcher launcher, KernelTunerOptions options = {},
              OptionsOfKernel kernel_options = {}) requires std::same_as<C, Config>
      : KernelTuner(std::move(name), ConfigSpace<C>::list(std::move(configs)), std::move(launcher),
                    std::move(options), std::move(kernel_options)) {}

  /// Tunes a kernel that exists, such as a TunableKernel or a CudaKernel, which must outlive the tuner. What
  /// it launches depends on its own key, so requests that differ must have arguments with different keys.
  template <typename Kernel>
  requires(std::invocable<Kernel&, Args&...>&& requires(Kernel& kernel) {
    { kernel.space() } -> std::convertible_to<const ConfigSpace<C>&>;
    { kernel.name() } -> std::convertible_to<std::string>;
  }) explicit KernelTuner(Kernel& kernel, KernelTunerOptions options = {})
      : launch_([&kernel](const TuneRequest& /*request*/, Args&... args) { kernel(args...); }),
        space_(&kernel.space()),
        core_(kernel.name(), std::move(options)) {}

  KernelTuner(const KernelTuner&) = delete;
  KernelTuner& operator=(const KernelTuner&) = delete;
  ~KernelTuner() = default;

  /// Returns the best config for the request. If the cache has one, nothing is launched. Otherwise launches
  /// the kernel with these arguments, `warmup_runs` and then `benchmark_runs` times with each config, and
  /// once more with the best one, which it puts into the cache. Launches get the arguments as lvalues.
  ///
  /// With CONTEXTUAL_ALWAYS_TUNE, or `always_tune`, nothing is taken from the cache. In mode `use` a request
  /// that is not cached, and in mode `off` every one, launches the kernel once and returns what it launched,
  /// without results. Where a file pins a config of the region, the cache is left alone.
  ///
  /// Throws TuningFailedError, with every reason, if all configs are rejected; RankMismatchError on all ranks
  /// if requests or config spaces differ; InvalidArgument inside a region that is being tuned; and otherwise
  /// what ContextualAutotuner::run throws.
  TuningResult tune(const TuneRequest& request, Args... args) {
    const TuneRequest completed = core_.completed(request);
    return core_.tune(completed, space_->view(), [&] { launch_(request, args...); });
  }

  /// Returns the config of a result of this tuner. Throws InvalidArgument for one of another config space.
  const C& best(const TuningResult& result) const { return (*space_)[result.best_config_id]; }

  const ConfigSpace<C>& space() const noexcept { return *space_; }
  ConfigCache& cache() { return core_.cache(); }

 private:
  std::unique_ptr<typename Tuned::Kernel> own_;  ///< null for a kernel that existed before
  std::function<void(const TuneRequest&, Args&...)> launch_;
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
