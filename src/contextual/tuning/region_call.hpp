#pragma once

/// \file
/// One call of a region, as the user made it.

#include "contextual/options/resolved_options.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace contextual::tuning {

/// What started a tuning run.
enum class Origin {
  run,         ///< a call of `run`, or a wrapped region's first call
  later_call,  ///< a later call of a wrapped region that launched something new
};

/// Why a region is run now.
struct Occasion {
  Origin origin = Origin::run;
  std::string new_launch{};  ///< in a later call, the first launch without a choice: `kernel "k", key (1)`
  /// Where what is launched is known beforehand: whether it is locked in. Empty: what the region launched in
  /// its last run counts.
  std::function<bool(std::uint32_t region_id)> knows{};
};

/// One `run` of a region. Refers to what the caller keeps.
struct RegionCall {
  const std::string& region;
  std::uint32_t region_id;
  const std::function<void()>& function;
  const options::ResolvedOptions& options;
  const Occasion& occasion;
};

}  // namespace contextual::tuning
