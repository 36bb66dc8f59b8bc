#pragma once

#include <contextual/detail/measure/cache_clearing.hpp>
#include <contextual/do_bench.hpp>
#include <contextual/key.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace contextual::measure {

/// Runs a function in batches and reads the times of its runs from a timer. For one thread.
class TimedRuns {
 public:
  /// Makes the timer. Both arguments must live as long.
  TimedRuns(const std::function<void()>& function, const BenchOptions& options);
  TimedRuns(const TimedRuns&) = delete;
  TimedRuns& operator=(const TimedRuns&) = delete;
  ~TimedRuns() = default;

  /// What a batch measured.
  struct Batch {
    std::vector<BenchTime> times;     ///< of each run, in their order; 0 if it has none
    std::chrono::nanoseconds wall{};  ///< from the batch's begin to the end of the wait
    bool no_device_work = false;      ///< the timer sees all work of devices, and there was none
  };

  /// Runs the function once, uncleared, and finds out whether it works on a device. If not, the host's clock
  /// measures from now on; else the cache is cleared from now on, if that is asked for. Returns what the run
  /// took.
  std::chrono::nanoseconds run_first();
  /// Runs the function so often, the cache cleared before each run, and waits. No run has a time in a batch
  /// that the timer says was disturbed.
  Batch run(std::size_t runs);

  const Timer& timer() const noexcept { return *timer_; }
  bool clears() const noexcept { return clearing_ != nullptr; }
  /// What the timer has warned of, each thing once.
  const std::vector<std::string>& warnings() const noexcept { return warnings_; }

 private:
  /// The notes on the runs of a batch. An iteration without a launch is a clearing.
  struct Notes {
    std::vector<LaunchTiming> launches;
    std::vector<IterationTiming> iterations;
  };

  void submit(std::size_t runs, Notes& notes);
  void submit_run(Notes& notes);
  void submit_clearing(Notes& notes);
  void settle(Notes& notes);
  Batch batch_of(const Notes& notes, std::chrono::nanoseconds wall);
  bool read_conditions();

  const std::function<void()>& function_;
  const BenchOptions& options_;
  std::unique_ptr<detail::CacheClearing> clearing_;  ///< null if nothing is cleared
  std::unique_ptr<Timer> timer_;                     ///< ends first, since it may still see a clearing
  Key key_{};
  std::int64_t iteration_ = 0;
  bool settled_before_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace contextual::measure
