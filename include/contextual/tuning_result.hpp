#pragma once

/// \file
/// What a KernelTuner returns: the best config of one request, and how it and all others did.

#include <contextual/config.hpp>
#include <contextual/metrics.hpp>
#include <contextual/report.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace contextual {

/// The result of one call of KernelTuner::tune. Plain values; equal on all ranks, except that the warnings
/// are of this rank.
struct TuningResult {
  Config best_config{};
  std::size_t best_config_id = 0;  ///< in the tuner's config space
  /// Of the best config. The latency is the centre of its samples (of the maximum over ranks), and 0 if it
  /// was not measured. The rates need KernelTunerOptions::work.
  KernelMetrics metrics{};
  /// Of every config, in order: its times, or why it was rejected or left out. Empty if nothing was tuned.
  std::vector<ConfigReport> all_results{};
  std::vector<std::int64_t> problem_size{};
  std::string device{};       ///< of the request; where that was empty, "host", "cuda" or a device's name
  std::string kernel_type{};  ///< of the request; where that was empty, the kernel's name
  std::string reason{};       ///< why this config
  bool from_cache = false;    ///< found in the ConfigCache: nothing was launched
  std::vector<std::string> warnings{};
};

}  // namespace contextual
