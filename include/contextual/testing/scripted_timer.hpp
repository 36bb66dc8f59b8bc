#pragma once

/// \file
/// A timer that reads no clock: functions compute the times from the launches.
///
/// For tests of tuning decisions: the region does nothing, and the functions say how long it took.

#include <contextual/export.hpp>
#include <contextual/timer.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace contextual::testing {

/// One launch of a tuning iteration that ended.
struct ScriptedLaunch {
  std::string kernel{};
  std::string key{};  ///< the key as text; empty without a key
  std::size_t config_id = 0;
  std::int64_t time_ns = 0;  ///< the result of `launch_ns`; 0 or negative if there is no time
};

/// Returns the launch's own time in ns, or 0 or less for a missing time. Not called for a launch that never
/// ended.
using ScriptedLaunchTime = std::function<std::int64_t(const LaunchInfo& launch)>;

/// Returns the makespan of a tuning iteration in ns, or 0 or less for a missing one. The launches come in the
/// order in which they ended.
using ScriptedMakespan =
    std::function<std::int64_t(std::int64_t tuning_iteration, const std::vector<ScriptedLaunch>& launches)>;

/// Returns the spans of a tuning iteration's device work that belongs to no launch, or nothing if the timer
/// is not to know it (IterationTiming::other_spans).
using ScriptedOtherSpans = std::function<std::optional<std::vector<Span>>(
    std::int64_t tuning_iteration, const std::vector<ScriptedLaunch>& launches)>;

/// Everything that a scripted timer can tell. All functions but `launch_ns` may be empty.
struct ScriptedTimes {
  ScriptedLaunchTime launch_ns{};
  ScriptedMakespan makespan_ns{};  ///< empty: the sum of the times of its launches
  /// When the launch began, in ns. Empty: 0, so that all launches overlap.
  std::function<std::int64_t(const LaunchInfo& launch)> launch_begin_ns{};
  /// When the tuning iteration's work began, in ns; it ends a makespan later. Empty: not known.
  std::function<std::int64_t(std::int64_t tuning_iteration)> iteration_begin_ns{};
  ScriptedOtherSpans other_spans{};  ///< empty: not known
};

/// Returns a factory of timers with these times: `Options{.timer = scripted_timer(...)}`. Without
/// `makespan_ns`, a makespan is the sum of the times of its launches.
///
/// A timer never calls two of the functions at once. It calls `launch_ns` on the launching threads and
/// `makespan_ns` in the settle. If several ranks share a factory, their timers call the functions
/// concurrently. A function that throws yields no time. Throws InvalidArgument if `launch_ns` is empty.
CONTEXTUAL_API TimerFactory scripted_timer(ScriptedLaunchTime launch_ns, ScriptedMakespan makespan_ns = {});

/// Does the same with everything that can be scripted. Launches, and so their spans, are on the host (device
/// -1). The rules above hold for all functions: `launch_begin_ns` is called on the launching threads, the
/// others in the settle.
CONTEXTUAL_API TimerFactory scripted_timer_with(ScriptedTimes times);

}  // namespace contextual::testing
