#pragma once

/// \file
/// The time during which this process ran. A process can be stopped as a whole, by a signal or together with
/// its machine. That time must not count against its peers.

#include <algorithm>
#include <chrono>
#include <utility>

namespace contextual::detail {

/// Counts the time between two looks. A waiting thread looks at least once per tick. A longer time between
/// two looks therefore means that the process could not look, and counts as four ticks at most. Not
/// thread-safe. Cost of a look: one clock read.
template <typename Clock>
class RunningTime {
 public:
  using Duration = std::chrono::nanoseconds;

  /// `limit` is how long the wait may be. A tick is a hundredth of it, between 2 and 500 ms: fine enough to
  /// end the wait soon after its limit, and coarse enough not to disturb measurements.
  explicit RunningTime(Duration limit)
      : tick_(std::clamp<Duration>(limit / 100, std::chrono::milliseconds(2),
                                   std::chrono::milliseconds(500))) {}

  /// Returns the longest time that may pass between two looks while the process runs.
  Duration tick() const noexcept { return tick_; }

  /// Returns the time since the last look, or since construction for the first look.
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
