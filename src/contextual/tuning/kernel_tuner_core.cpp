#include "contextual/agreement/request_agreement.hpp"
#include "contextual/launch/device_kind.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/cached_config_text.hpp"
#include "contextual/tuning/run_lock.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/context_guard.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/tuning/kernel_tuner_core.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace contextual::detail {
namespace {

using options::ResolvedOptions;

/// A living kernel of this name; of simulated ranks, which have one each, any of them.
std::shared_ptr<KernelCore> core_of(const std::string& name) {
  for (const std::shared_ptr<KernelCore>& core : LaunchRegistry::instance().kernels()) {
    if (core->alive() && core->traits().name == name) {
      return core;
    }
  }
  return nullptr;
}

std::string device_of(bool takes_stream) {
  if (!takes_stream) {
    return "host";
  }
  const DeviceKinds* const kinds = device_kinds_in_force.load(std::memory_order_acquire);
  const std::uint64_t word = kinds == nullptr ? 0 : kinds->current();
  return word == 0 ? "cuda" : kinds->name(word);  // 0: of the kind that the machine's text names
}

Options tuner_options(const KernelTunerOptions& options) {
  Options all = options.tuning;
  all.n_warmup = options.warmup_runs;
  all.n_repeat = options.benchmark_runs;
  if (!all.search) {
    all.search = SearchLevel::off;
  }
  if (options.cache_directory) {
    all.cache_directory = options.cache_directory;
  }
  return all;
}

/// Of a call that tunes, whatever the process has locked in: the cache has decided that already.
Options call_options(const KernelTunerOptions& options, std::size_t configs) {
  Options call;
  call.always_tune = true;
  if (!options.tuning.max_iterations) {
    constexpr std::int64_t built_in = 10'000;
    constexpr std::int64_t room = 2;  // steps may have to be measured again
    const std::int64_t runs = std::max(0, options.warmup_runs) + std::max(0, options.benchmark_runs);
    call.max_iterations = std::max(built_in, room * runs * static_cast<std::int64_t>(configs));
  }
  return call;
}

std::optional<std::size_t> id_of(const SpaceView& space, const Config& config) {
  const auto found = std::find(space.configs.begin(), space.configs.end(), config);
  return found == space.configs.end() ? std::nullopt
                                      : std::optional<std::size_t>(found - space.configs.begin());
}

/// Of the kernel with this name, else the only problem there is: that of its coupling.
const ProblemReport* problem_of(const RegionReport& report, const std::string& kernel) {
  const auto found = std::find_if(report.problems.begin(), report.problems.end(),
                                  [&](const ProblemReport& problem) { return problem.kernel == kernel; });
  if (found != report.problems.end()) {
    return &*found;
  }
  return report.problems.size() == 1 ? &report.problems.front() : nullptr;
}

/// 0 if it was not measured.
double time_of_choice(const ProblemReport& problem) {
  const auto best = std::find_if(problem.configs.begin(), problem.configs.end(),
                                 [&](const ConfigReport& of) { return of.config_id == problem.choice; });
  return best == problem.configs.end() || best->time.count == 0 ? 0 : best->time.centre_ns;
}

}  // namespace

struct KernelTunerCore::Impl {
  Impl(std::string kernel_name, KernelTunerOptions given)
      : kernel(std::move(kernel_name)), options(std::move(given)), tuner(tuner_options(options)) {}

  ResolvedOptions resolve() const {
    return options::resolve({}, tuner_options(options), options::environment());
  }

  std::string region_of(const TuneRequest& request) const {
    return request.kernel_type == kernel ? kernel : kernel + "/" + request.kernel_type;
  }

  ConfigCache& cache(const ResolvedOptions& resolved) {
    const std::lock_guard lock(cache_mutex);
    if (options.cache == nullptr) {
      options.cache = std::make_shared<ConfigCache>(resolved.cache_directory);
    }
    return *options.cache;
  }

  /// A file pins something in the region: the engine goes by it.
  bool is_pinned(const TuneRequest& request, const ResolvedOptions& resolved) const {
    return !resolved.cache_directory.empty() &&
           !storage::ChoiceStore(resolved.cache_directory, region_of(request)).pin_files().empty();
  }
  /// Each rank of a `local` kernel has a choice of its own: there is none that all could take from a cache.
  bool can_be_cached(const ResolvedOptions& resolved) const {
    const std::shared_ptr<KernelCore> core = core_of(kernel);
    const bool local = core != nullptr && core->traits().participation == Participation::local;
    return !local || resolved.communicator->size() == 1;
  }

  /// What a cached config must have been made for. Collective if there are several ranks.
  std::uint64_t made_for(const TuneRequest& request, const SpaceView& space, const ResolvedOptions& resolved);
  /// What rank 0 has cached and this kernel can launch. Collective if there are several ranks.
  std::optional<CachedConfig> look_up(const TuneRequest& request, std::uint64_t made_for,
                                      const SpaceView& space, const ResolvedOptions& resolved);
  /// Runs the region, and has rank 0 keep what it has chosen for good. Collective.
  TuningResult tune_anew(const TuneRequest& request, std::uint64_t made_for, const SpaceView& space,
                         const std::function<void()>& launch, const ResolvedOptions& resolved);
  /// Returns what went wrong with the disk, or an empty text.
  std::string keep(const TuneRequest& request, const CachedConfig& config, const ProblemReport& problem,
                   const ResolvedOptions& resolved);
  void rate(TuningResult& result, const TuneRequest& request, double time_ns) const;

  agreement::Exchange& exchange_of(const ResolvedOptions& resolved);

  std::string kernel;
  KernelTunerOptions options;
  ContextualAutotuner tuner;
  tuning::RunLock tune_lock;
  std::mutex cache_mutex;
  std::shared_ptr<Communicator> communicator;  // that of `exchange`
  std::optional<agreement::Exchange> exchange;
};

agreement::Exchange& KernelTunerCore::Impl::exchange_of(const ResolvedOptions& resolved) {
  if (communicator != resolved.communicator) {
    communicator = resolved.communicator;
    exchange.emplace(*communicator, resolved.deadline);
  }
  exchange->set_timeout(resolved.deadline);
  return *exchange;
}

std::uint64_t KernelTunerCore::Impl::made_for(const TuneRequest& request, const SpaceView& space,
                                              const ResolvedOptions& resolved) {
  StableHash hash;
  hash.add(space.digest);
  if (const std::shared_ptr<KernelCore> core = core_of(kernel)) {
    const std::string version = core->traits().version ? core->traits().version() : std::string();
    hash.add(std::string_view(version));
  }
  if (resolved.communicator->size() > 1) {
    const std::uint64_t configs = StableHash(hash).value();
    for (const std::string& machine :
         agree_on_request(exchange_of(resolved), {kernel, to_string(request), configs})) {
      hash.add(std::string_view(machine));
    }
  }
  return hash.value() | 1;  // 0 stands for a config that a person has set
}

std::optional<CachedConfig> KernelTunerCore::Impl::look_up(const TuneRequest& request, std::uint64_t made_for,
                                                           const SpaceView& space,
                                                           const ResolvedOptions& resolved) {
  const bool looks = resolved.mode != Mode::off && !resolved.always_tune;
  std::optional<CachedConfig> cached;
  if (looks && can_be_cached(resolved) && resolved.communicator->rank() == 0 &&
      !is_pinned(request, resolved)) {
    cached = cache(resolved).get_made_for(request, made_for);
  }
  if (resolved.communicator->size() > 1) {
    cached = tuning::cached_config_of(told_by_rank_0(exchange_of(resolved), tuning::text_of(cached)));
  }
  return cached && id_of(space, cached->config) ? cached : std::nullopt;
}

void KernelTunerCore::Impl::rate(TuningResult& result, const TuneRequest& request, double time_ns) const {
  if (time_ns > 0) {
    const KernelWork work = options.work ? options.work(request) : KernelWork();
    result.metrics = compute_metrics(work, std::chrono::duration<double, std::nano>(time_ns), options.peak);
  }
}

std::string KernelTunerCore::Impl::keep(const TuneRequest& request, const CachedConfig& config,
                                        const ProblemReport& problem, const ResolvedOptions& resolved) {
  const bool lasting = resolved.mode == Mode::tune && problem.outcome == ProblemOutcome::locked_in &&
                       problem.pinned_by.empty() && can_be_cached(resolved);
  return lasting && resolved.communicator->rank() == 0 ? cache(resolved).set(request, config) : std::string();
}

TuningResult KernelTunerCore::Impl::tune_anew(const TuneRequest& request, std::uint64_t made_for,
                                              const SpaceView& space, const std::function<void()>& launch,
                                              const ResolvedOptions& resolved) {
  const std::string region = region_of(request);
  tuner.run(region, launch, call_options(options, space.size));
  const Report report = tuner.report();
  const RegionReport* const run = report.find(region);
  const ProblemReport* const problem = run == nullptr ? nullptr : problem_of(*run, kernel);
  TuningResult result;
  result.warnings = run == nullptr ? std::vector<std::string>() : run->warnings;
  if (problem == nullptr) {
    result.best_config = space.configs.front();
    result.reason = "the default: nothing was tuned";
    return result;
  }
  result.best_config_id = problem->choice;
  result.best_config = space.configs.at(problem->choice);
  result.reason = problem->reason;
  result.all_results = problem->configs;
  const double time_ns = time_of_choice(*problem);
  CachedConfig config{result.best_config, {}, made_for};
  if (time_ns > 0) {
    config.time_ns = static_cast<std::int64_t>(std::llround(time_ns));
  }
  const std::string trouble = keep(request, config, *problem, resolved);
  if (!trouble.empty()) {
    result.warnings.push_back("the config is not kept on the disk: " + trouble);
  }
  rate(result, request, time_ns);
  return result;
}

KernelTunerCore::KernelTunerCore(std::string kernel, KernelTunerOptions options)
    : impl_(std::make_unique<Impl>(std::move(kernel), std::move(options))) {}
KernelTunerCore::~KernelTunerCore() = default;

TuneRequest KernelTunerCore::completed(TuneRequest request) const {
  if (request.kernel_type.empty()) {
    request.kernel_type = impl_->kernel;
  }
  if (request.device.empty()) {
    const std::shared_ptr<KernelCore> core = core_of(impl_->kernel);
    request.device = device_of(core != nullptr && core->traits().takes_stream);
  }
  return request;
}

ConfigCache& KernelTunerCore::cache() {
  return impl_->cache(impl_->resolve());
}

TuningResult KernelTunerCore::tune(const TuneRequest& request, const SpaceView& space,
                                   const std::function<void()>& launch) {
  if (thread_state().log != nullptr || thread_state().use != nullptr) {
    throw InvalidArgument("kernel \"" + impl_->kernel +
                          "\": `tune` was called inside a region that is being tuned: call it before, or "
                          "launch the kernel in the region, which tunes it there");
  }
  const ResolvedOptions resolved = impl_->resolve();
  const tuning::RunLock::Holder lock(impl_->tune_lock, impl_->region_of(request), resolved.deadline);
  const std::uint64_t made_for = impl_->made_for(request, space, resolved);
  TuningResult result;
  if (const auto cached = impl_->look_up(request, made_for, space, resolved)) {
    result.best_config = cached->config;
    result.best_config_id = *id_of(space, cached->config);
    result.from_cache = true;
    result.reason = "cached for " + to_string(request);
    impl_->rate(result, request, static_cast<double>(cached->time_ns.value_or(0)));
  } else {
    result = impl_->tune_anew(request, made_for, space, launch, resolved);
  }
  result.problem_size = request.problem_size;
  result.device = request.device;
  result.kernel_type = request.kernel_type;
  return result;
}

}  // namespace contextual::detail
