#pragma once

/// \file
/// A point in time after which a wait gives up. Every wait of the tuner carries one.

#include <chrono>

namespace contextual {

/// Value type. Cost of `expired`: one clock read.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// `timeout` from now; at most some decades, however long it is.
  template <typename Rep, typename Period>
  static Deadline after(std::chrono::duration<Rep, Period> timeout) {
    constexpr auto longest = std::chrono::hours(24 * 365 * 50);
    const bool too_long = std::chrono::duration<double>(timeout) > std::chrono::duration<double>(longest);
    return Deadline{Clock::now() + (too_long ? std::chrono::duration_cast<Clock::duration>(longest)
                                             : std::chrono::duration_cast<Clock::duration>(timeout))};
  }

  bool expired() const { return Clock::now() >= at_; }
  Clock::time_point at() const noexcept { return at_; }

 private:
  explicit Deadline(Clock::time_point at) : at_(at) {}
  Clock::time_point at_;
};

}  // namespace contextual
