#pragma once

/// \file
/// Checks a Timer against its contract. Framework-independent; call it from a test of your own.

#include <contextual/export.hpp>
#include <contextual/timer.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace contextual::testing {

/// How a timer is checked.
struct TimerCheck {
  /// What a launch does; called between `begin_launch` and `end_launch`, also from several threads. Empty:
  /// the calling thread computes for some 100 us. For a device timer: launch a kernel on `launch.stream`.
  std::function<void(const LaunchInfo& launch)> work{};
  void* stream = nullptr;  ///< given to every launch

  /// The timer measures the host's clock around the launch: a launch's time covers its work. False for
  /// scripted timers and for those that measure a device.
  bool covers_host_work = true;

  std::chrono::nanoseconds deadline = std::chrono::seconds(30);  ///< of every settle
};

/// Runs a few tuning iterations with launches on one thread, nested in time on two threads, none at all,
/// and one that never ends. Empty: conforms. Else one line a violation.
///
/// Looked for: launches and iterations without a time, spans that end before they begin, makespans shorter
/// than one of their launches, times that end up at another launch, a launch that waits for another
/// thread's, a settle that cannot do without launches or fails for one that never ended, state that one
/// batch leaves for the next.
CONTEXTUAL_API std::vector<std::string> check_timer(const TimerFactory& factory,
                                                    const TimerCheck& check = {});

}  // namespace contextual::testing
