#pragma once

/// \file
/// What the tuning gained: the region with the chosen configs against the region with all defaults.

#include "report/judging/search_view.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace contextual::log_report {

/// The closing comparison of a search, where it is one with all defaults.
struct DefaultsComparison {
  double chosen_ns = 0;    ///< the region's time with the chosen set
  double defaults_ns = 0;  ///< the region's time with all defaults
  Change change;           ///< from all defaults to the chosen set, by paired rounds
  std::int64_t round_count = 0;
  bool defaults_came_back = false;  ///< nothing was shown to be faster, so every kernel uses its default
};

/// Returns the comparison of the last search. Returns nothing if there was no search, it was not compared
/// with all defaults (they are infeasible, or were chosen without a comparison), or has no valid times.
std::optional<DefaultsComparison> compared_with_defaults(const std::vector<SearchView>& searches);

}  // namespace contextual::log_report
