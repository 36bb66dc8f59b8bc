#pragma once

/// \file
/// How long a tuning run takes on the host, and how much of that goes into the walk of each problem.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace contextual::record {

/// A watch that runs from its construction on until it is stopped. The thread of `run` uses it.
class TuningTime {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TuningTime(std::function<Clock::time_point()> now = Clock::now)
      : now_(std::move(now)), begin_(now_()) {}

  void stop() { end_ = now_(); }
  std::int64_t total_ns() const { return ns_until(end_.value_or(now_())); }
  std::int64_t elapsed_ns() const { return ns_until(now_()); }  ///< also after it was stopped

  /// Ends a batch of tuning iterations, which has taken all of the time since the last batch.
  void end_batch(std::size_t iteration_count) {
    const std::int64_t total = total_ns();
    iteration_ns_ = static_cast<double>(total - batches_ns_) /
                    static_cast<double>(std::max<std::size_t>(1, iteration_count));
    batches_ns_ = total;
  }
  /// Call it after `end_batch`, once for each iteration in which the walk has tried a config of the problem.
  void add_walked(std::size_t problem) { walks_ns_[problem] += iteration_ns_; }
  std::int64_t walk_ns(std::size_t problem) const {
    const auto walk = walks_ns_.find(problem);
    return walk == walks_ns_.end() ? 0 : static_cast<std::int64_t>(walk->second);
  }

 private:
  std::int64_t ns_until(Clock::time_point time) const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time - begin_).count();
  }

  std::function<Clock::time_point()> now_;
  Clock::time_point begin_;
  std::optional<Clock::time_point> end_;
  std::int64_t batches_ns_ = 0;
  double iteration_ns_ = 0;  ///< the share of an iteration of the last batch
  std::map<std::size_t, double> walks_ns_;
};

}  // namespace contextual::record
