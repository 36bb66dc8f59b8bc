#pragma once

/// \file
/// A point in time after which a wait gives up. Every wait of the tuner carries one.

#include <chrono>

namespace contextual {

/// Value type. Cost of `expired`: one clock read.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// `timeout` from now.
  static Deadline after(std::chrono::nanoseconds timeout) {
    return Deadline{Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout)};
  }

  bool expired() const { return Clock::now() >= at_; }
  Clock::time_point at() const noexcept { return at_; }

 private:
  explicit Deadline(Clock::time_point at) : at_(at) {}
  Clock::time_point at_;
};

}  // namespace contextual
