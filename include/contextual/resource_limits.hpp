#pragma once

/// \file
/// What a config of a kernel needs, what a device has, and which configs therefore are valid. Pure.

#include <contextual/config.hpp>
#include <contextual/export.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace contextual {

/// What one block of a kernel needs with one config; for a kernel on the host, one launch. 0: not known, or
/// nothing.
struct ResourceNeeds {
  std::int64_t shared_bytes = 0;  ///< of a block's shared memory
  int threads = 0;
  int registers_per_thread = 0;

  friend bool operator==(const ResourceNeeds&, const ResourceNeeds&) = default;
};

/// What there is for one block; on the host, for one launch. What is not set is not limited.
struct ResourceLimits {
  std::optional<std::int64_t> shared_bytes{};  ///< e.g. 48 * 1024, or 227 * 1024 on a Hopper GPU
  std::optional<int> threads{};                ///< e.g. 1024; on the host, the cores
  std::optional<int> registers_per_thread{};   ///< e.g. 255
  std::optional<int> registers{};              ///< of a block together, e.g. 65536
};

/// Returns true if nothing that is known of the needs is above a limit.
CONTEXTUAL_API bool fits(const ResourceNeeds& needs, const ResourceLimits& limits);

/// Returns the configs that fit, in their order. `needs` is called once for each config; what it throws
/// passes through.
CONTEXTUAL_API std::vector<Config> filter_valid_configs(
    const std::vector<Config>& configs, const ResourceLimits& limits,
    const std::function<ResourceNeeds(const Config&)>& needs);

}  // namespace contextual
