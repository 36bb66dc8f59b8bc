#pragma once

/// \file
/// Times a function by running it again and again, without tuning anything. docs/do-bench.md says how.
/// For a function that works on a CUDA stream, include `contextual/cuda/do_bench.hpp`.

#include <contextual/export.hpp>
#include <contextual/timer.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace contextual {

/// A time in ns, with fractions: a median of an even number of samples lies between two of them.
using BenchTime = std::chrono::duration<double, std::nano>;

/// How often a function is run: a number of runs, or as many runs as take this long by the host's clock, with
/// the clearings and the waits between them, but at least 1 and at most 10000.
using BenchRuns = std::variant<int, std::chrono::nanoseconds>;

struct BenchOptions {
  BenchRuns warmup = std::chrono::milliseconds(25);   ///< runs that are no samples, at least 2
  BenchRuns repeat = std::chrono::milliseconds(100);  ///< runs that are samples
  /// Each between 0 and 1: 0.5 is the median. BenchResult::quantiles has the times in the same order.
  std::vector<double> quantiles{};
  /// If true, the L2 cache is filled with other data before each run but the first few warm-ups, in a time
  /// that does not count: that of the stream's device, or without a stream those of the devices on which the
  /// function was seen to work. For a function on the host nothing is cleared.
  bool clear_l2 = true;
  /// Empty: `default_timer()`, or `cuda_timer` for a function on a stream. What is timed with a timer of
  /// devices is all that the process does on them, from the first start to the last end, in a run. If the
  /// warm-ups that follow the first one do nothing there, and if the timer measures the host only, it is the
  /// host's time in the function.
  TimerFactory timer{};
  /// The stream (a cudaStream_t, null for the default one) on which the function puts its work. CUPTI needs
  /// none. Without one, `cuda_event_timer` cannot tell a function on a device from one on the host: a time
  /// then includes the launching calls, no cache is cleared, and a warning says so.
  std::optional<void*> stream{};
  /// Of each wait. There is one after at most 100 runs, fewer if they are long.
  std::chrono::milliseconds deadline = std::chrono::seconds(60);
};

/// The times of a function, one sample a run.
struct BenchResult {
  std::vector<BenchTime> samples;  ///< in the order of the runs
  BenchTime median{};
  BenchTime mean{};
  BenchTime min{};
  BenchTime max{};
  BenchTime interquartile_range{};   ///< the spread: between the quantiles 0.25 and 0.75
  std::vector<BenchTime> quantiles;  ///< those that the options name
  std::string timer;                 ///< e.g. "CUPTI", "CUDA events", "host clock"
  bool l2_cleared = false;           ///< before each of the samples' runs
  /// By how much the timer overstates a sample, if it knows; not subtracted.
  std::optional<BenchTime> timer_bias{};
  std::vector<std::string> warnings;  ///< e.g. of a clock that changed, or of times that include more
};

/// Runs the function as often as the options say, and returns its times. Between runs nothing waits for the
/// device; all of a batch's runs are waited for together. The first run after a wait is no sample, since it
/// begins cold; so there may be a few runs more than asked for. Runs without a time are taken again.
///
/// On a device, all work of a run ends before that of the next one begins. Tunable kernels in the function
/// use what is locked in. How often the function runs depends on this process's clock, so it must not wait
/// for other ranks.
///
/// Throws InvalidArgument for a number of runs, a duration or a deadline that is not positive, for a quantile
/// that is not between 0 and 1, and for an empty function; if it is called in a region that is being tuned,
/// or by a function that do_bench is timing; and, with a timer of devices, while a stream is being captured
/// that is the named one or that waits for the default stream. Throws Error if a stream is named and the
/// function keeps no device busy, if work is outstanding when the deadline expires, or if too many runs get
/// no time; DeviceError if the device no longer works; what the function throws, unchanged, after the runs
/// before it have been waited for.
CONTEXTUAL_API BenchResult do_bench(const std::function<void()>& function, const BenchOptions& options = {});

}  // namespace contextual
