#pragma once

/// \file
/// Checks a Timer against its contract. Needs no test framework; call it from a test of your own.

#include <contextual/export.hpp>
#include <contextual/timer.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace contextual::testing {

/// How check_timer checks a timer.
struct TimerCheck {
  /// Does the work of a launch. Called between `begin_launch` and `end_launch`, also by several threads at
  /// once. For a device timer, let it launch a kernel on `launch.stream`. If it is empty, the calling thread
  /// computes for about 100 us.
  std::function<void(const LaunchInfo& launch)> work{};
  void* stream = nullptr;  ///< given to every launch
  /// Does device work that belongs to no launch. Called outside of launches. If it is empty, there is no such
  /// work, and it is not checked whether the timer sees it.
  std::function<void()> other_work{};

  /// True if the timer reads the host's clock around a launch, so that the launch's time covers its work.
  /// False for scripted timers and for timers that measure a device.
  bool covers_host_work = true;

  std::chrono::nanoseconds deadline = std::chrono::seconds(30);  ///< of every settle
};

/// Runs a few tuning iterations: with launches on one thread, with launches of two threads that overlap in
/// time, without launches, with a launch that never ends, and in a batch that asks for no times of launches.
/// Returns one line per violation; none if the timer conforms.
///
/// It finds launches and iterations without a time, and launches that are untimed in a batch that asks for
/// times; spans that end before they begin; makespans shorter than
/// one of their launches, or other than the time from `begin_ns` to `end_ns`; work of launches among the work
/// that belongs to none, and work that belongs to none and is not listed there; times assigned to the wrong
/// launch; a launch that waits for another thread's launch; a settle that fails without launches or because
/// of a launch that never ended; and state that one batch leaves to the next.
CONTEXTUAL_API std::vector<std::string> check_timer(const TimerFactory& factory,
                                                    const TimerCheck& check = {});

}  // namespace contextual::testing
