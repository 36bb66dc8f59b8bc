#pragma once

/// \file
/// How long a wait may still take. Every wait of the tuner carries one.

#include <contextual/detail/sync/running_time.hpp>

#include <algorithm>
#include <chrono>

namespace contextual {

/// Counts the time in which this process ran, while the wait looks at it: `expired`, `remaining` and `wait`
/// look. Look at least once a `tick`. A longer time without a look counts as some ticks only, since the
/// process may have been stopped, and then no peer is to blame.
///
/// A value that is moved, not copied: a copy would not know what the original has counted since. Used by one
/// thread at a time. Cost of a look: one clock read.
template <typename ClockType>
class BasicDeadline {
 public:
  using Clock = ClockType;
  using Duration = std::chrono::nanoseconds;

  /// `timeout` from now; at most some decades, however long it is.
  template <typename Rep, typename Period>
  static BasicDeadline after(std::chrono::duration<Rep, Period> timeout) {
    constexpr auto longest = std::chrono::hours(24 * 365 * 50);
    const bool too_long = std::chrono::duration<double>(timeout) > std::chrono::duration<double>(longest);
    return BasicDeadline(too_long ? std::chrono::duration_cast<Duration>(longest)
                                  : std::chrono::duration_cast<Duration>(timeout));
  }

  BasicDeadline(BasicDeadline&&) noexcept = default;
  BasicDeadline& operator=(BasicDeadline&&) noexcept = default;
  BasicDeadline(const BasicDeadline&) = delete;
  BasicDeadline& operator=(const BasicDeadline&) = delete;
  ~BasicDeadline() = default;

  bool expired() { return remaining() == Duration::zero(); }

  /// Zero once expired.
  Duration remaining() {
    left_ = std::max(left_ - running_.look(), Duration::zero());
    return left_;
  }

  /// The longest time that a wait may sleep before it looks again.
  Duration tick() const noexcept { return running_.tick(); }

  /// Waits on a condition variable until `done`; false when the deadline expires first. `lock` is held by the
  /// caller, and whenever `done` is called.
  template <typename Condition, typename Lock, typename Predicate>
  bool wait(Condition& changed, Lock& lock, const Predicate& done) {
    while (!done()) {
      const Duration left = remaining();
      if (left == Duration::zero()) {
        return false;
      }
      changed.wait_for(lock, std::min(left, tick()));
    }
    return true;
  }

 private:
  explicit BasicDeadline(Duration timeout) : left_(std::max(timeout, Duration::zero())), running_(timeout) {}

  Duration left_;
  detail::RunningTime<Clock> running_;
};

using Deadline = BasicDeadline<std::chrono::steady_clock>;

}  // namespace contextual
