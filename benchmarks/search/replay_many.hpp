#pragma once

/// \file
/// Replays one region with one search for many seeds, on several threads.

#include "search/region_source.hpp"
#include "search/replay.hpp"
#include "search/search_table.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace search_replay {

struct ManyReplays {
  std::size_t seed_count = 1;    ///< seeds 1, 2, ...
  std::int64_t max_runs = 1;     ///< of the region, for each seed
  std::size_t thread_count = 1;  ///< at least 1; the result does not depend on it
};

/// Returns the replays in the order of their seeds. An exception of a replay is thrown again.
std::vector<Replay> replay_many(const RegionSource& source, const NamedSearch& search,
                                const ManyReplays& many);

}  // namespace search_replay
