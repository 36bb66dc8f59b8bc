#pragma once

/// \file
/// The time that logs and journal of a tuning may take.

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

namespace contextual::storage {

/// Waiting for a disk that stands still, summed up over all writes of a tuning. Thread-safe.
class WriteBudget {
 public:
  static constexpr std::chrono::milliseconds most{50};

  /// Calls `write`, which returns what went wrong, or an empty text, and returns the same. Once the budget is
  /// spent, calls nothing and returns why.
  std::string spend(const std::function<std::string()>& write);

 private:
  std::atomic<std::chrono::nanoseconds::rep> left_ns_{std::chrono::nanoseconds(most).count()};
};

}  // namespace contextual::storage
