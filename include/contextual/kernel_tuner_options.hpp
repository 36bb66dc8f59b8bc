#pragma once

/// \file
/// Options of a KernelTuner.

#include <contextual/config_cache.hpp>
#include <contextual/metrics.hpp>
#include <contextual/options.hpp>
#include <contextual/tune_request.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace contextual {

/// Every field may be left out, e.g. `{.warmup_runs = 2, .benchmark_runs = 5}`.
struct KernelTunerOptions {
  int warmup_runs = 10;      ///< of each config, before its samples count; at least 1
  int benchmark_runs = 100;  ///< samples of each config; at least 1
  /// Where the ConfigCache keeps configs, and the tuner the rest of docs/cache.md; an empty path keeps
  /// nothing on the disk. Unset: what `tuning.cache_directory` says. Rank 0's counts.
  std::optional<std::filesystem::path> cache_directory{};
  /// Null: the tuner has a cache of its own, in the cache directory. Several tuners may share one, which then
  /// says where configs are kept.
  std::shared_ptr<ConfigCache> cache{};
  /// Everything else that a tuning run can be told: the group of ranks (`communicator`), the timer, log,
  /// deadline, tie margin. The two counts above replace its `n_warmup` and `n_repeat`; unless it sets them,
  /// `search` is off, and `max_iterations` is large enough for all configs.
  Options tuning{};
  /// None. Returns the work of one launch, for the rates of TuningResult::metrics. Must be pure.
  std::function<KernelWork(const TuneRequest&)> work{};
  DevicePeak peak{};  ///< of the device, for the metrics' shares of it
};

}  // namespace contextual
