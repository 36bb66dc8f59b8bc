#include "contextual/agreement/request_agreement.hpp"
#include "contextual/options/environment.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/storage/choice_fields.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/noted_launch.hpp"
#include "contextual/tuning/rank_groups.hpp"
#include "contextual/tuning/run_lock.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/context_guard.hpp>
#include <contextual/detail/config/fixed_configs.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/detail/tuning/kernel_tuner_core.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Of a call that tunes.
Options call_options(const KernelTunerOptions& options, std::size_t configs) {
  Options call;
  if (!options.tuning.max_iterations) {
    constexpr std::int64_t built_in = 10'000;
    constexpr std::int64_t room = 2;  // steps may have to be measured again
    const std::int64_t runs = std::max(0, options.warmup_runs) + std::max(0, options.benchmark_runs);
    call.max_iterations = std::max(built_in, room * runs * static_cast<std::int64_t>(configs));
  }
  return call;
}

/// Named as the tuner's user has named them: `tuner_options` gives them to the engine under other names.
void check_counts(const std::string& kernel, const KernelTunerOptions& options) {
  for (const auto& [name, count] :
       {std::pair("warmup_runs", options.warmup_runs), std::pair("benchmark_runs", options.benchmark_runs)}) {
    if (count < 1) {
      throw InvalidArgument("kernel \"" + kernel + "\": " + name + " is " + std::to_string(count) +
                            ", but must be at least 1");
    }
  }
}

/// Before anything is launched: the rates are the last thing that a call computes.
void check_rates(const std::string& kernel, const KernelTunerOptions& options, const TuneRequest& request) {
  constexpr std::chrono::nanoseconds any_time{1};
  const auto check = [&](const char* option, const KernelWork& work, const DevicePeak& peak) {
    try {
      compute_metrics(work, any_time, peak);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument("kernel \"" + kernel + "\": KernelTunerOptions::" + option + ": " + error.what());
    }
  };
  check("peak", {}, options.peak);
  check("work", options.work ? options.work(request) : KernelWork(), {});
}

/// Throws ConfigSpaceError with the kernel's name.
SpaceView space_of(const std::string& kernel, const TunedKernelCall& call) {
  try {
    return call.space();
  } catch (const ConfigSpaceError& error) {
    throw ConfigSpaceError("kernel \"" + kernel + "\": " + error.what());
  }
}

/// Ranks may launch the kernel with keys of their own: then none of their choices is one that all could take
/// from a cache.
bool is_under_one_key(const ProblemReport& problem, const RegionReport& run) {
  return std::none_of(run.problems.begin(), run.problems.end(), [&](const ProblemReport& other) {
    return other.kernel == problem.kernel && other.key != problem.key;
  });
}

/// The versions of rank 0 are compared where its cache reads a file. Those of another rank count if they
/// differ from them, unless CONTEXTUAL_VERSION_CHECK accepts others.
Machine counted_parts(const Machine& machine, const Machine& machine_of_rank_0) {
  const bool as_on_rank_0 = versions_in(machine) == versions_in(machine_of_rank_0);
  const bool any_version = !options::environment().values.version_check.value_or(true);
  return as_on_rank_0 || any_version ? without_versions(machine) : machine;
}

/// What a config is cached for that this search has found.
std::uint64_t searched_by(std::uint64_t made_for, SearchLevel level) {
  const std::uint64_t all = StableHash().add(made_for).add(static_cast<std::uint64_t>(level)).value();
  return all | 1;  // 0 stands for a config that a person has set
}

/// What it has found there. Collective.
std::optional<CachedConfig> cached_on_rank_0(agreement::Exchange& exchange,
                                             const std::optional<CachedConfig>& own) {
  nlohmann::json told;
  if (own) {
    told = {{"config", own->config.to_json()}, {"time_ns", own->time_ns.value_or(-1)}};
  }
  told = nlohmann::json::parse(agreement::text_of_rank_0(exchange, storage::text_of(told)));
  if (told.is_null()) {
    return std::nullopt;
  }
  const auto time_ns = told["time_ns"].get<std::int64_t>();
  return CachedConfig{Config::from_json(told["config"].get<std::string>()),
                      time_ns < 0 ? std::nullopt : std::optional(time_ns)};
}

/// Refusing all configs refuses none: the default remains a candidate. False if `keep` throws: tuning asks it
/// again, where all ranks learn of that.
bool is_candidate(const TunedKernelCall& call, std::size_t config_id, std::size_t configs) noexcept {
  try {
    if (!call.keeps || call.keeps(config_id)) {
      return true;
    }
    bool others = config_id != 0;
    for (std::size_t id = 1; id < configs && !others; ++id) {
      others = call.keeps(id);
    }
    return !others;
  } catch (...) {
    return false;
  }
}

/// What the driver cannot tell is a warning: the config is chosen all the same.
void add_metrics(TuningResult& result, const TunedKernelCall& call) {
  if (!call.add_metrics) {
    return;
  }
  try {
    call.add_metrics(result.best_config_id, result.metrics);
  } catch (const std::exception& error) {
    result.warnings.push_back(std::string("registers, local memory and occupancy are not known: ") +
                              error.what());
  }
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

  TuneRequest completed(TuneRequest request) const {
    if (request.kernel_type.empty()) {
      request.kernel_type = kernel;
    }
    if (request.device.empty()) {
      const std::shared_ptr<KernelCore> core = core_of(kernel);
      request.device = core != nullptr && core->traits().takes_stream ? "cuda" : "host";
    }
    return request;
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
    if (resolved.cache_directory.empty()) {
      return false;
    }
    const auto kept = storage::ChoiceStore(resolved.cache_directory, region_of(request)).read_pins();
    return !kept.file.pins.empty() || !kept.pins_unknown.empty();
  }

  /// What this rank is asked to tune.
  struct Asked {
    TuneRequest request;  ///< with what it leaves out, unless there is a failure
    SpaceView space{};
    std::uint64_t configs = 0;           ///< a digest of the space and of the kernel's version
    std::uint64_t code = 0;              ///< a digest of KernelCore::code_identity: ranks may differ in it
    std::exception_ptr setup_failure{};  ///< why this rank cannot tune it
  };
  Asked asked(TuneRequest request, const TunedKernelCall& call, const ResolvedOptions& resolved) const;

  /// What a cached config must have been made for. Throws the set-up failure. Collective if there are several
  /// ranks.
  std::uint64_t meet(const Asked& asked, const ResolvedOptions& resolved);
  /// What rank 0 has cached and all ranks can launch. Says in `warnings` why a config that is cached is not
  /// used. Collective if there are several ranks.
  std::optional<CachedConfig> look_up(const Asked& asked, std::uint64_t made_for, const TunedKernelCall& call,
                                      const ResolvedOptions& resolved, std::vector<std::string>& warnings);
  /// Runs the region, and has rank 0 keep what it has chosen for good. Collective.
  TuningResult tune_anew(const Asked& asked, std::uint64_t made_for, const TunedKernelCall& call,
                         const ResolvedOptions& resolved);
  enum class Times { of_devices, of_launching };
  /// Returns what went wrong with the disk, or an empty text. Times of launching choose nothing that lasts
  /// for a kernel that works on a stream.
  std::string keep(const TuneRequest& request, const CachedConfig& config, const ProblemReport& problem,
                   const ResolvedOptions& resolved, Times times);
  /// Fills in what times and work say, of the best config and of all others.
  void rate(TuningResult& result, const TuneRequest& request, const TunedKernelCall& call,
            double time_ns) const;

  std::string kernel;
  KernelTunerOptions options;
  ContextualAutotuner tuner;
  tuning::RunLock tune_lock;
  std::mutex cache_mutex;
  tuning::RankGroups groups;
};

KernelTunerCore::Impl::Asked KernelTunerCore::Impl::asked(TuneRequest request, const TunedKernelCall& call,
                                                          const ResolvedOptions& resolved) const {
  Asked asked{std::move(request)};
  try {
    asked.request = completed(asked.request);
    check_counts(kernel, options);
    check_rates(kernel, options, asked.request);
    options::validate(resolved);
    asked.space = space_of(kernel, call);
    const std::shared_ptr<KernelCore> core = core_of(kernel);
    StableHash hash;
    hash.add(asked.space.digest);
    if (core != nullptr) {
      core->check_device();
      hash.add(std::string_view(core->traits().version));
      asked.code = StableHash().add(std::string_view(core->code_identity())).value();
    }
    asked.configs = hash.value();
  } catch (...) {
    asked.setup_failure = std::current_exception();
  }
  return asked;
}

std::uint64_t KernelTunerCore::Impl::meet(const Asked& asked, const ResolvedOptions& resolved) {
  StableHash hash;
  hash.add(asked.configs).add(asked.code);
  if (resolved.communicator->size() > 1) {
    const std::vector<Machine> machines =
        agree_on_request(groups.exchange_for(resolved), {kernel, to_string(asked.request), asked.configs},
                         asked.setup_failure);
    for (const Machine& machine : machines) {
      hash.add(machine_digest(counted_parts(machine, machines.front())));
    }
  } else if (asked.setup_failure) {
    std::rethrow_exception(asked.setup_failure);
  }
  return hash.value();
}

std::optional<CachedConfig> KernelTunerCore::Impl::look_up(const Asked& asked, std::uint64_t made_for,
                                                           const TunedKernelCall& call,
                                                           const ResolvedOptions& resolved,
                                                           std::vector<std::string>& warnings) {
  const bool several = resolved.communicator->size() > 1;
  const bool looks = resolved.mode != Mode::off && !resolved.always_tune;
  std::optional<CachedConfig> cached;
  if (looks && resolved.communicator->rank() == 0 && !is_pinned(asked.request, resolved)) {
    // In mode use nothing is tuned instead, so that any will do.
    const auto least = resolved.mode == Mode::tune ? static_cast<int>(resolved.policy.search) : 0;
    for (int level = static_cast<int>(SearchLevel::thorough); !cached && level >= least; --level) {
      cached =
          cache(resolved).get_made_for(asked.request, searched_by(made_for, static_cast<SearchLevel>(level)));
    }
  }
  if (several) {
    cached = cached_on_rank_0(groups.exchange_for(resolved), cached);
  }
  const std::optional<std::size_t> config_id =
      cached ? config_id_of(asked.space, cached->config) : std::nullopt;
  if (!config_id) {  // on all ranks: their spaces are equal
    if (cached) {
      warnings.push_back("the cache has " + cached->config.to_string() + " for " + to_string(asked.request) +
                         ", which is no config of kernel \"" + kernel + "\": it is not used");
    }
    return std::nullopt;
  }
  const bool kept = is_candidate(call, *config_id, asked.space.size);
  const bool kept_everywhere = several ? all_agree(groups.exchange_for(resolved), kept) : kept;
  return kept_everywhere ? cached : std::nullopt;
}

void KernelTunerCore::Impl::rate(TuningResult& result, const TuneRequest& request,
                                 const TunedKernelCall& call, double time_ns) const {
  const KernelWork work = options.work ? options.work(request) : call.work ? call.work() : KernelWork();
  const auto rated = [&](double ns) {
    return ns > 0 ? compute_metrics(work, std::chrono::duration<double, std::nano>(ns), options.peak)
                  : KernelMetrics();
  };
  result.metrics = rated(time_ns);
  for (ConfigReport& config : result.all_results) {
    config.metrics = rated(config.time.count == 0 ? 0 : config.time.centre_ns);
  }
}

std::string KernelTunerCore::Impl::keep(const TuneRequest& request, const CachedConfig& config,
                                        const ProblemReport& problem, const ResolvedOptions& resolved,
                                        Times times) {
  const std::shared_ptr<KernelCore> core = core_of(kernel);
  const bool measured = times == Times::of_devices || (core != nullptr && !core->traits().takes_stream);
  const bool lasting = resolved.mode == Mode::tune && problem.outcome == ProblemOutcome::locked_in &&
                       !problem.reused && problem.pinned_by.empty();
  return lasting && measured && resolved.communicator->rank() == 0 ? cache(resolved).set(request, config)
                                                                   : std::string();
}

TuningResult KernelTunerCore::Impl::tune_anew(const Asked& asked, std::uint64_t made_for,
                                              const TunedKernelCall& call, const ResolvedOptions& resolved) {
  const SpaceView& space = asked.space;
  const std::string region = region_of(asked.request);
  tuning::NotedLaunch launch(core_of(kernel));
  tuner.run_anew(
      region,
      [&] {
        const std::optional<Key> key = call.key ? std::optional(call.key()) : std::nullopt;
        if (key) {
          launch.note(*key);
        }
        call.launch();
        if (!launch.untuned_config()) {
          launch.note_tuned();
        } else if (key) {
          launch.note(*key);  // it may have fallen back
        }
      },
      call_options(options, space.size));
  const Report report = tuner.report();
  const RegionReport* const run = report.find(region);
  const ProblemReport* problem = nullptr;
  if (run != nullptr && !launch.untuned_config()) {
    problem = launch.problem_in(*run);
  }
  TuningResult result;
  result.warnings = run == nullptr ? std::vector<std::string>() : run->warnings;
  if (problem == nullptr) {
    result.best_config_id = launch.untuned_config().value_or(0);
    result.best_config = space.configs.at(result.best_config_id);
    result.reason = launch.reason(run);
    return result;
  }
  result.best_config_id = problem->choice;
  result.best_config = space.configs.at(problem->choice);
  result.reason = problem->reason;
  result.all_results = problem->configs;
  const double time_ns = time_of_choice(*problem);
  const std::shared_ptr<KernelCore> core = core_of(kernel);
  CachedConfig config{result.best_config,
                      {},
                      searched_by(made_for, resolved.policy.search),
                      core == nullptr ? std::string() : core->origin()};
  if (time_ns > 0) {
    config.time_ns = static_cast<std::int64_t>(std::llround(time_ns));
  }
  const Times times = run->timer_measures_devices ? Times::of_devices : Times::of_launching;
  const std::string trouble = is_under_one_key(*problem, *run) && run->outputs_repeat
                                  ? keep(asked.request, config, *problem, resolved, times)
                                  : std::string();
  if (!trouble.empty()) {
    result.warnings.push_back("the config is not kept on the disk: " + trouble);
  }
  rate(result, asked.request, call, time_ns);
  return result;
}

KernelTunerCore::KernelTunerCore(std::string kernel, KernelTunerOptions options)
    : impl_(std::make_unique<Impl>(std::move(kernel), std::move(options))) {}
KernelTunerCore::~KernelTunerCore() = default;

TuneRequest KernelTunerCore::completed(TuneRequest request) const {
  return impl_->completed(std::move(request));
}

ConfigCache& KernelTunerCore::cache() {
  return impl_->cache(impl_->resolve());
}

TuningResult KernelTunerCore::tune(const TuneRequest& request, const TunedKernelCall& call) {
  if (thread_state().log != nullptr || thread_state().use != nullptr) {
    throw InvalidArgument("kernel \"" + impl_->kernel +
                          "\": `tune` was called inside a region that is being tuned: call it before, or "
                          "launch the kernel in the region, which tunes it there");
  }
  const ResolvedOptions resolved = impl_->resolve();
  const tuning::RunLock::Holder lock(impl_->tune_lock, impl_->kernel, resolved.deadline);
  const Impl::Asked asked = impl_->asked(request, call, resolved);
  const std::uint64_t made_for = impl_->meet(asked, resolved);
  TuningResult result;
  std::vector<std::string> warnings;
  if (const auto cached = impl_->look_up(asked, made_for, call, resolved, warnings)) {
    result.best_config_id = *config_id_of(asked.space, cached->config);
    result.best_config = asked.space.configs.at(result.best_config_id);
    result.from_cache = true;
    result.reason = "cached for " + to_string(asked.request);
    impl_->rate(result, asked.request, call, static_cast<double>(cached->time_ns.value_or(0)));
    if (asked.request.problem_size.empty() && call.takes_arguments) {
      warnings.emplace_back(
          "the request says no problem_size, so every call gets what was chosen for the arguments of "
          "the first one");
    }
  } else {
    result = impl_->tune_anew(asked, made_for, call, resolved);
  }
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  add_metrics(result, call);
  result.problem_size = asked.request.problem_size;
  result.device = asked.request.device;
  result.kernel_type = asked.request.kernel_type;
  return result;
}

}  // namespace contextual::detail
