#include "contextual/agreement/details_text.hpp"
#include "contextual/agreement/hello.hpp"
#include "contextual/launch/thread_log.hpp"
#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/region_tuner.hpp"

#include <contextual/detail/config/fixed_configs.hpp>
#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/tuning/kernel_tuner_core.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

namespace contextual::detail {
namespace {

using options::ResolvedOptions;
using Cached = std::optional<CachedConfig>;

/// A living kernel of this name; of simulated ranks, which have one each, any of them. Throws
/// InvalidArgument.
std::shared_ptr<KernelCore> core_of(const std::string& name) {
  for (const std::shared_ptr<KernelCore>& core : LaunchRegistry::instance().kernels()) {
    if (core->alive() && core->traits().name == name) {
      return core;
    }
  }
  throw InvalidArgument("a KernelTuner tunes kernel \"" + name + "\", which does not exist any more");
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
  if (options.cache != nullptr && !options.cache->directory().empty()) {
    all.cache_directory = options.cache->directory();
  }
  return all;
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

/// Throws ConfigSpaceError with the kernel's name.
SpaceView space_of(const std::string& kernel, const TunedKernelCall& call) {
  try {
    return call.space();
  } catch (const ConfigSpaceError& error) {
    throw ConfigSpaceError("kernel \"" + kernel + "\": " + error.what());
  }
}

/// For the other ranks.
std::string text_of(const CachedConfig& cached) {
  return agreement::details_text({{"config", cached.config.to_json()},
                                  {"time_ns", cached.time_ns.value_or(-1)},
                                  {"belongs_to", cached.belongs_to}});
}
CachedConfig cached_in(const std::string& text) {
  const nlohmann::json cached = agreement::parse_details(text);
  const auto time_ns = cached.at("time_ns").get<std::int64_t>();
  return {Config::from_json(cached.at("config").get<std::string>()),
          time_ns < 0 ? std::nullopt : std::optional(time_ns), cached.at("belongs_to").get<std::string>()};
}

/// Refusing all configs refuses none: the default remains a candidate.
bool is_candidate(const TunedKernelCall& call, std::size_t config_id) {
  bool other_kept = config_id != 0;
  for (std::size_t id = 1; id < call.space().size && !other_kept; ++id) {
    other_kept = call.keeps(id);
  }
  return !other_kept || call.keeps(config_id);
}

bool is_locked_in(const KernelCore& core, std::uint32_t region, const Key& key, SearchLevel search) {
  const LockInTable& table = *core.table();
  return table.find(region, key) != LockInTable::none &&
         table.finality(region, key) != ChoiceFinality::provisional &&
         search <= table.searched_by(region, key, 0);
}

/// What a call has launched, in whatever ways its region has been run.
struct Launched {
  bool tuned = false;  ///< otherwise the rest is known, but for the name of the problem
  std::size_t config_id = 0;
  bool from_cache = false;  ///< it was known, and nothing was launched
  std::string pinned_by{};  ///< the file, or empty
  std::string kernel{};     ///< of the problem, or the coupling
  std::string key_text{};

  /// `cached`: what is locked in for the region need not be launched.
  void run(const KernelCore& core, const TunedKernelCall& call, bool cached);
  /// Returns null if the run does not know it.
  const ProblemReport* problem_in(const RegionReport* run) const;
};

void Launched::run(const KernelCore& core, const TunedKernelCall& call, bool cached) {
  const ThreadState& thread = thread_state();
  const Key key = call.key();
  tuned = tuned || thread.log != nullptr;
  from_cache = false;
  if (cached && !tuned && is_locked_in(core, detail::region_of(thread), key, SearchLevel::off)) {
    config_id = static_cast<std::size_t>(core.table()->find(detail::region_of(thread), key));
    from_cache = is_candidate(call, config_id);
    if (from_cache) {
      return;
    }
  }
  call.launch();
  const KernelTraits& traits = core.traits();
  kernel = traits.coupling.empty() ? traits.name : traits.coupling;
  if (!tuned) {
    key_text = core.key_text(key);
    config_id = KernelCore::resolved_id(core.resolve(key));  // it may have fallen back
    pinned_by = core.pinning_file(detail::region_of(thread), key, thread.scope);
  } else if (thread.log != nullptr) {  // has the words of a key that is longer than Key::capacity
    const auto& records = thread.log->records;
    const auto last = std::find_if(records.rbegin(), records.rend(),
                                   [&](const auto& of) { return of.slot->problem.name == kernel; });
    key_text = last == records.rend() ? std::string() : last->slot->problem.key_text;
  }
}

const ProblemReport* Launched::problem_in(const RegionReport* run) const {
  if (run == nullptr) {
    return nullptr;
  }
  const auto found = std::find_if(
      run->problems.begin(), run->problems.end(),
      [&](const ProblemReport& problem) { return problem.kernel == kernel && problem.key == key_text; });
  return found == run->problems.end() ? nullptr : &*found;
}

/// Why a launch that was not tuned has used its config. `known`: what the run says of it, or null.
std::string reason_of(const Launched& used, const ProblemReport* known) {
  if (!used.pinned_by.empty()) {
    return "pinned by " + used.pinned_by;
  }
  if (known != nullptr && known->choice == used.config_id) {
    return known->reason;
  }
  return used.config_id == 0 ? "the default: nothing was tuned" : "locked in before: nothing was tuned";
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

}  // namespace

struct KernelTunerCore::Impl {
  Impl(std::string kernel_name, KernelTunerOptions given)
      : kernel(std::move(kernel_name)), options(std::move(given)), regions(tuner_options(options)) {}

  TuneRequest completed(TuneRequest request) const {
    if (request.kernel_type.empty()) {
      request.kernel_type = kernel;
    }
    if (request.device.empty()) {
      request.device = core_of(kernel)->traits().takes_stream ? "cuda" : "host";
    }
    return request;
  }

  std::string region_of(const TuneRequest& request) const {
    return request.kernel_type == kernel ? kernel : kernel + "/" + request.kernel_type;
  }

  ConfigCache& cache() {
    const std::lock_guard lock(cache_mutex);
    if (options.cache == nullptr) {
      options.cache = std::make_shared<ConfigCache>(regions.resolve({}).cache_directory);
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

  ResolvedOptions options_for(std::size_t configs) const {
    ResolvedOptions resolved = regions.resolve({});
    if (!options.tuning.max_iterations) {
      constexpr std::int64_t room = 2;  // steps may have to be measured again
      const std::int64_t runs = room * (options.warmup_runs + options.benchmark_runs);
      resolved.policy.max_iterations =
          std::max(resolved.policy.max_iterations, runs * static_cast<std::int64_t>(configs));
    }
    return resolved;
  }

  KernelMetrics rated(const TuneRequest& request, const TunedKernelCall& call, double time_ns) const {
    const KernelWork work = options.work ? options.work(request) : call.work();
    return time_ns > 0
               ? compute_metrics(work, std::chrono::duration<double, std::nano>(time_ns), options.peak)
               : KernelMetrics();
  }

  /// Completes the request and checks all that the user has said, before anything is launched. Returns what
  /// ranks that tune together have in common: a digest of the kernel's configs and version.
  std::uint64_t check(TuneRequest& request, const TunedKernelCall& call,
                      const ResolvedOptions& resolved) const;
  /// Returns what rank 0 has cached for the request, which it completes, or nothing where the ranks are to
  /// tune it anew. Collective if there are several ranks.
  Cached meet(TuneRequest& request, const TunedKernelCall& call);
  /// Runs the region, which launches nothing where the ranks know a config. Collective.
  TuningResult run(const TuneRequest& request, const Cached& cached, const TunedKernelCall& call);
  /// What a run has tuned, which rank 0 keeps if it was chosen for good.
  TuningResult tuned(const TuneRequest& request, const ProblemReport& problem, const RegionReport& run,
                     const TunedKernelCall& call);
  bool is_kept(const ProblemReport& problem, const RegionReport& run) const;

  std::string kernel;
  KernelTunerOptions options;
  tuning::RegionTuner regions;
  tuning::RunLock tune_lock;
  std::mutex cache_mutex;
};

std::uint64_t KernelTunerCore::Impl::check(TuneRequest& request, const TunedKernelCall& call,
                                           const ResolvedOptions& resolved) const {
  request = completed(request);
  check_counts(kernel, options);
  try {
    static_cast<void>(rated(request, call, 1));
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("kernel \"" + kernel + "\": its work or its peak: " + error.what());
  }
  options::validate(resolved);
  const std::shared_ptr<KernelCore> core = core_of(kernel);
  core->check_device();
  static_cast<void>(call.key());  // what it throws, all ranks learn here
  return StableHash()
      .add(space_of(kernel, call).digest)
      .add(std::string_view(core->traits().version))
      .value();
}

Cached KernelTunerCore::Impl::meet(TuneRequest& request, const TunedKernelCall& call) {
  const ResolvedOptions resolved = regions.resolve({});
  agreement::Arrival arrival{.locked_in = true};  // nothing is timed yet
  std::uint64_t configs = 0;
  try {
    configs = check(request, call, resolved);
    const bool looks = resolved.mode != Mode::off && !resolved.always_tune;
    if (looks && resolved.communicator->rank() == 0 && !is_pinned(request, resolved)) {
      const Cached cached = cache().get(request);
      arrival.kept_choices = cached ? text_of(*cached) : std::string();
    }
  } catch (...) {
    arrival.setup_failure = std::current_exception();
  }
  const std::string asked = kernel + "\": " + to_string(request) + ", configs \"" + hex_text(configs);
  const std::string told =
      agreement::exchange_hello(regions.exchange_for(resolved), asked, resolved, arrival).kept_choices;
  return told.empty() ? std::nullopt : std::optional(cached_in(told));
}

TuningResult KernelTunerCore::Impl::run(const TuneRequest& request, const Cached& cached,
                                        const TunedKernelCall& call) {
  const std::shared_ptr<KernelCore> core = core_of(kernel);
  const SpaceView space = call.space();
  const std::string region = region_of(request);
  ResolvedOptions resolved = options_for(space.size);
  resolved.always_tune = !cached;  // whatever the environment says
  resolved.exceptions_reject = true;
  if (cached && cached->belongs_to.empty()) {
    core->table()->lock_in(regions.region_id(region, resolved), call.key(),
                           static_cast<int>(*config_id_of(space, cached->config)), ChoiceFinality::kept);
  }
  Launched launched;
  tuning::Occasion occasion;
  occasion.knows = [&](std::uint32_t region_id) {
    return cached && is_locked_in(*core, region_id, call.key(), resolved.policy.search);
  };
  regions.run(
      region, [&] { launched.run(*core, call, cached.has_value()); }, resolved, occasion);
  const Report report = regions.reports().all();
  const RegionReport* const run = report.find(region);
  const ProblemReport* const problem = launched.problem_in(run);
  if (launched.tuned && problem != nullptr) {
    return tuned(request, *problem, *run, call);
  }
  TuningResult result;
  result.best_config_id = launched.config_id;
  result.best_config = space.configs.at(launched.config_id);
  result.from_cache = launched.from_cache;
  if (launched.from_cache) {
    result.reason = "cached for " + to_string(request);
    const bool same = config_id_of(space, cached->config) == launched.config_id;
    result.metrics = rated(request, call, same ? static_cast<double>(cached->time_ns.value_or(0)) : 0);
  } else {
    result.reason = reason_of(launched, problem);
    result.warnings = run == nullptr ? std::vector<std::string>() : run->warnings;
  }
  return result;
}

TuningResult KernelTunerCore::Impl::tuned(const TuneRequest& request, const ProblemReport& problem,
                                          const RegionReport& run, const TunedKernelCall& call) {
  const auto time_of = [](const ConfigReport& of) { return of.time.count == 0 ? 0 : of.time.centre_ns; };
  TuningResult result;
  result.warnings = run.warnings;
  result.best_config_id = problem.choice;
  result.best_config = problem.choice_config;
  result.reason = problem.reason;
  result.all_results = problem.configs;
  for (ConfigReport& config : result.all_results) {
    config.metrics = rated(request, call, time_of(config));
  }
  const double time_ns = time_of(problem.configs.at(problem.choice));
  result.metrics = rated(request, call, time_ns);
  if (is_kept(problem, run)) {
    CachedConfig config{result.best_config, {}, core_of(kernel)->origin()};
    if (time_ns > 0) {
      config.time_ns = std::llround(time_ns);
    }
    if (const std::string trouble = cache().put(request, config); !trouble.empty()) {
      result.warnings.push_back("the config is not kept on the disk: " + trouble);
    }
  }
  return result;
}

/// Times of launching choose nothing that lasts for a kernel that works on a stream. Ranks may launch the
/// kernel with keys of their own: then none of their choices is one that all could take from a cache.
bool KernelTunerCore::Impl::is_kept(const ProblemReport& problem, const RegionReport& run) const {
  const ResolvedOptions resolved = regions.resolve({});
  const bool measured = run.timer_measures_devices || !core_of(kernel)->traits().takes_stream;
  return resolved.mode == Mode::tune && resolved.communicator->rank() == 0 && measured &&
         run.outputs_repeat && problem.outcome == ProblemOutcome::locked_in && !problem.reused &&
         problem.pinned_by.empty() &&
         std::none_of(run.problems.begin(), run.problems.end(), [&](const ProblemReport& other) {
           return other.kernel == problem.kernel && other.key != problem.key;
         });
}

KernelTunerCore::KernelTunerCore(std::string kernel, KernelTunerOptions options)
    : impl_(std::make_unique<Impl>(std::move(kernel), std::move(options))) {}
KernelTunerCore::~KernelTunerCore() = default;

TuneRequest KernelTunerCore::completed(TuneRequest request) const {
  return impl_->completed(std::move(request));
}

ConfigCache& KernelTunerCore::cache() {
  return impl_->cache();
}

TuningResult KernelTunerCore::tune(TuneRequest request, const TunedKernelCall& call) {
  if (thread_state().log != nullptr || thread_state().use != nullptr) {
    throw InvalidArgument("kernel \"" + impl_->kernel +
                          "\": `tune` was called inside a region that is being tuned: call it before, or "
                          "launch the kernel in the region, which tunes it there");
  }
  const tuning::RunLock::Holder lock(impl_->tune_lock, impl_->kernel, impl_->regions.resolve({}).deadline);
  std::vector<std::string> warnings;
  Cached cached = impl_->meet(request, call);
  if (cached && cached->belongs_to.empty() && !config_id_of(call.space(), cached->config)) {
    warnings.push_back("the cache has " + cached->config.to_string() + " for " + to_string(request) +
                       ", which is no config of kernel \"" + impl_->kernel + "\": it is not used");
    cached.reset();  // on all ranks: their spaces are equal
  }
  TuningResult result = impl_->run(request, cached, call);
  if (result.from_cache && request.problem_size.empty() && call.takes_arguments) {
    warnings.emplace_back(
        "the request says no problem_size, so every call gets what was chosen for the arguments of the first "
        "one");
  }
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  add_metrics(result, call);
  result.problem_size = request.problem_size;
  result.device = request.device;
  result.kernel_type = request.kernel_type;
  return result;
}

}  // namespace contextual::detail
