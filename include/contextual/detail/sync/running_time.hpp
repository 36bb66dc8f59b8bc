#pragma once

/// \file
/// Time in which this process ran. A process can be stopped as a whole, by a signal or with its machine; what
/// the others did meanwhile cannot be held against them.

#include <algorithm>
#include <chrono>
#include <utility>

namespace contextual::detail {

/// Counts from one look to the next. Whoever waits looks at least once a tick, so that a look that comes more
/// than some ticks after the one before tells of a time in which nobody could look: it counts as four ticks.
/// Not thread-safe. Cost of a look: one clock read.
template <typename Clock>
class RunningTime {
 public:
  using Duration = std::chrono::nanoseconds;

  /// `limit`: how long the wait may be. A tick is a hundredth of it: fine enough to be out soon after it,
  /// coarse enough not to be noticed beside what is measured.
  explicit RunningTime(Duration limit)
      : tick_(std::clamp<Duration>(limit / 100, std::chrono::milliseconds(2),
                                   std::chrono::milliseconds(500))) {}

  /// The longest time that may pass between two looks of a process that runs.
  Duration tick() const noexcept { return tick_; }

  /// What has passed since the last look, the first time since this was made.
  Duration look() {
    constexpr int stopped_ticks = 4;
    const auto now = Clock::now();
    return std::min<Duration>(now - std::exchange(last_, now), stopped_ticks * tick_);
  }

 private:
  Duration tick_;
  typename Clock::time_point last_ = Clock::now();
};

}  // namespace contextual::detail
