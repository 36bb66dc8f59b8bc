#pragma once

/// \file
/// What the tuning gained: the region with the chosen configs against the region with all defaults.

#include "report/reading/events.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace contextual::log_report {

/// The last contest of a run, which compares the chosen set with all defaults.
struct DefaultsComparison {
  double chosen_ns = 0;    ///< the region's time with the chosen set
  double defaults_ns = 0;  ///< the region's time with all defaults
  double change = 0;  ///< of the region's time, by paired rounds, as a fraction of that with all defaults;
                      ///< negative if the chosen set is faster
  std::int64_t round_count = 0;
  bool defaults_came_back = false;  ///< the chosen set lost, so every kernel uses its default
};

/// Returns nothing if the last such contest has no valid times, or if there was none: because the search was
/// off, the run ended before it, or every kernel had chosen its default already.
std::optional<DefaultsComparison> compared_with_defaults(const std::vector<const Contest*>& contests);

}  // namespace contextual::log_report
