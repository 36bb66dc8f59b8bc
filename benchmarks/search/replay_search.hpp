#pragma once

/// \file
/// Runs a search on a replayed region, as the tuner does.

#include "search/replay.hpp"
#include "search/replayed_region.hpp"

#include <contextual/search.hpp>

#include <cstdint>

namespace search_replay {

/// Describes the region as if there had been no walk: `walked` is empty, and `start` has the defaults.
contextual::SearchRequest search_request_of(const ReplayedRegion& region, std::int64_t max_runs,
                                            std::uint64_t seed);

/// Runs the trials of `search`, batch by batch with an exchange after each, until it is complete or the
/// region has run `max_runs` times. An assignment that has not run successfully yet is first run once, alone
/// in a batch. All problems are launched from the first run on. Without a best assignment the defaults are
/// the choice.
Replay replay_search(contextual::Search& search, ReplayedRegion& region, std::int64_t max_runs);

}  // namespace search_replay
