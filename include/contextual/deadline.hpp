#pragma once

/// \file
/// Deadline: how much longer a wait may take. Every wait of the tuner has one.

#include <contextual/detail/sync/running_time.hpp>

#include <algorithm>
#include <chrono>

namespace contextual {

/// A time limit that does not count the time during which the process was stopped.
///
/// It advances only when it is looked at: by `expired`, `remaining` or `wait`. Look at least once per `tick`.
/// A longer time without a look counts as a few ticks only, because the process may have been stopped
/// meanwhile, for which no peer is to blame.
///
/// It can be moved but not copied: a copy would miss what the original counts later. One thread at a time may
/// use it. Cost of a look: one clock read.
template <typename ClockType>
class BasicDeadline {
 public:
  using Clock = ClockType;
  using Duration = std::chrono::nanoseconds;

  /// Expires `timeout` from now, but after 50 years at the latest. A negative `timeout` has expired already.
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

  /// Returns the time left, which is zero once the deadline has expired.
  Duration remaining() {
    left_ = std::max(left_ - running_.look(), Duration::zero());
    return left_;
  }

  /// Returns the longest time that a wait may sleep between two looks.
  Duration tick() const noexcept { return running_.tick(); }

  /// Waits on a condition variable until `done()` is true. Returns false if the deadline expires first. The
  /// caller must hold `lock`; `done` is called with the lock held.
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
