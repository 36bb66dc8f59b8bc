#pragma once

/// \file
/// A schedule for little time: configs race by their own time, and what is surely slower drops out.

#include <contextual/schedule.hpp>

#include <memory>

namespace contextual::policy {

/// Returns a schedule in which each round tries the configs that are still in the race: one warm-up and two
/// samples each. The leader is the config with the shortest median, the first one of several. After a round a
/// config drops out if even its shortest sample is longer than the longest one of the leader. The race ends
/// when one config is left, or when all that are left have `n_repeat` samples. Of a config that drops out
/// there are fewer samples than `n_repeat`. Throws as walk_schedule does.
std::unique_ptr<Schedule> race_schedule(const ScheduleRequest& request);

}  // namespace contextual::policy
