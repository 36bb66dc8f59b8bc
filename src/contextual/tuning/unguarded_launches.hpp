#pragma once

/// \file
/// Launches of tunable kernels, while a run is active, by threads without the region's context.

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/launch_registry.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// Counts such launches since its construction.
class UnguardedLaunches {
 public:
  UnguardedLaunches() {
    for (auto& kernel : LaunchRegistry::instance().kernels()) {
      const std::uint64_t before = kernel->unguarded_launches().load(std::memory_order_relaxed);
      before_.emplace_back(std::move(kernel), before);
    }
  }

  /// Returns one warning per kernel that had such launches.
  std::vector<std::string> warnings() const {
    std::vector<std::string> warnings;
    for (const auto& [kernel, before] : before_) {
      const std::uint64_t count = kernel->unguarded_launches().load(std::memory_order_relaxed) - before;
      if (count > 0) {
        warnings.push_back(std::to_string(count) + " launches of kernel \"" + kernel->traits().name +
                           "\" came from threads without a region's context while this run was active; they "
                           "were not tuned. If "
                           "they belong to the region, give its worker threads a ContextGuard");
      }
    }
    return warnings;
  }

 private:
  std::vector<std::pair<std::shared_ptr<detail::KernelCore>, std::uint64_t>> before_;
};

}  // namespace contextual::tuning
