#pragma once

/// \file
/// Runs the whole policy of a tuning run on a replayed region.

#include "contextual/policy/policy_options.hpp"
#include "search/replay.hpp"
#include "search/replayed_region.hpp"

namespace search_replay {

/// Runs a TuningState from its first problem until it is done, batch by batch with an exchange after each. A
/// problem joins when the region launches it for the first time.
Replay replay_tuning(const contextual::policy::PolicyOptions& options, ReplayedRegion& region);

}  // namespace search_replay
