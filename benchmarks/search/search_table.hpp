#pragma once

/// \file
/// The searches that can be replayed, by name.

#include "search/replay.hpp"
#include "search/replayed_region.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace search_replay {

struct NamedSearch {
  std::string_view name;
  std::string_view description;
  /// Replays the region. A search that decides itself when it is done does not use `max_runs`.
  Replay (*replay)(ReplayedRegion& region, std::int64_t max_runs, std::uint64_t seed);
  bool uses_max_runs = true;
};

std::span<const NamedSearch> all_searches();

}  // namespace search_replay
