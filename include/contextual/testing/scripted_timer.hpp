#pragma once

/// \file
/// A timer that reads no clock: times come from functions of what is launched.
///
/// For tests of tuning decisions: the region does nothing, and the model says how long it took.

#include <contextual/export.hpp>
#include <contextual/timer.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace contextual::testing {

/// One launch of a tuning iteration that ended.
struct ScriptedLaunch {
  std::string kernel{};
  std::string key{};  ///< the key as text, empty without a key
  std::size_t config_id = 0;
  std::int64_t time_ns = 0;  ///< what `launch_ns` said; 0 or negative: missing
};

/// A launch's own time in ns; 0 or negative for a missing one. Not called for a launch that never ended.
using ScriptedLaunchTime = std::function<std::int64_t(const LaunchInfo& launch)>;

/// A tuning iteration's makespan in ns, from its launches in the order in which they ended; 0 or negative for
/// a missing one.
using ScriptedMakespan =
    std::function<std::int64_t(std::int64_t tuning_iteration, const std::vector<ScriptedLaunch>& launches)>;

/// Makes timers that give these times: `Options{.timer = scripted_timer(...)}`. Without `makespan_ns` a
/// makespan is the sum of its launches' times.
///
/// A timer calls the functions one at a time, `launch_ns` on the launching threads and `makespan_ns` in the
/// settle. Timers of several ranks made by one factory call them concurrently. A function that throws gives
/// no time. Throws InvalidArgument when `launch_ns` is empty.
CONTEXTUAL_API TimerFactory scripted_timer(ScriptedLaunchTime launch_ns, ScriptedMakespan makespan_ns = {});

}  // namespace contextual::testing
