#pragma once

#include <contextual/detail/measure/bench_devices.hpp>
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
  /// Makes the timer. Both arguments must live as long. Throws InvalidArgument beside a capture.
  TimedRuns(const std::function<void()>& function, const BenchOptions& options);
  TimedRuns(const TimedRuns&) = delete;
  TimedRuns& operator=(const TimedRuns&) = delete;
  ~TimedRuns() = default;

  /// What a batch measured.
  struct Batch {
    std::vector<BenchTime> times;     ///< of each run, in their order; 0 if it has none
    std::chrono::nanoseconds wall{};  ///< from the batch's begin to the end of the wait
    bool sees_all = false;            ///< the timer saw all work of devices in one of the runs
    bool no_device_work = false;      ///< it did in all of them, and there was none
    std::vector<int> devices;         ///< that were busy, as far as the timer tells; each once
  };

  /// Runs the function once, then so often, uncleared, and finds out by the later runs what it works on. What
  /// keeps no device busy is measured by the host's clock from now on; with a stream that is an Error. For
  /// other functions the cache is cleared from now on, if that is asked for. Returns the later runs.
  Batch find_out(std::size_t runs);
  /// Runs the function so often, the cache cleared before each run, and waits. No run has a time in a batch
  /// that the timer says was disturbed.
  Batch run(std::size_t runs);

  const Timer& timer() const noexcept { return *timer_; }
  bool clears() const noexcept { return clearing_ != nullptr; }
  /// What there was to warn of, each thing once.
  const std::vector<std::string>& warnings() const noexcept { return warnings_; }

 private:
  /// The notes on the runs of a batch. An iteration without a launch is a clearing.
  struct Notes {
    std::vector<LaunchTiming> launches;
    std::vector<IterationTiming> iterations;
  };

  void refuse_captures();
  void measure_blindly();
  void make_clearing(const std::vector<int>& devices);
  void submit(std::size_t runs, Notes& notes);
  void submit_run(Notes& notes);
  void submit_clearing(Notes& notes);
  void settle(Notes& notes);
  Batch batch_of(const Notes& notes, std::chrono::nanoseconds wall);
  bool read_conditions();

  const std::function<void()>& function_;
  const BenchOptions& options_;
  std::unique_ptr<detail::CacheClearing> clearing_;  ///< null if nothing is cleared
  /// Null unless the timer sees one stream only, and none was named.
  std::unique_ptr<detail::WorkGathering> gathering_;
  std::unique_ptr<Timer> timer_;  ///< ends first, since it may still see a clearing
  Key key_{};
  std::int64_t iteration_ = 0;
  bool settled_before_ = false;
  bool blind_ = false;  ///< the timer sees one stream only, and none was named
  std::vector<std::string> warnings_;
};

}  // namespace contextual::measure
