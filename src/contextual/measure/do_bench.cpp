#include "contextual/measure/bench_summary.hpp"
#include "contextual/measure/run_amount.hpp"
#include "contextual/measure/timed_runs.hpp"

#include <contextual/context_guard.hpp>
#include <contextual/do_bench.hpp>
#include <contextual/error.hpp>
#include <contextual/value.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

namespace contextual {
namespace {

using measure::RunAmount;
using measure::TimedRuns;
using std::chrono::nanoseconds;

constexpr std::size_t judged_runs = 5;      // that say what the function is, and how long a run takes
constexpr std::size_t longest_batch = 100;  // runs before a wait: CUPTI keeps a record of each
constexpr nanoseconds batch_time = std::chrono::seconds(1);
constexpr nanoseconds long_run = std::chrono::milliseconds(10);  // whose cold begin does not matter

void require_positive(const BenchRuns& runs, const char* name) {
  const bool positive =
      std::visit([](const auto& amount) { return amount > std::decay_t<decltype(amount)>{}; }, runs);
  if (!positive) {
    throw InvalidArgument(std::string("BenchOptions::") + name +
                          " must be a number of runs, or a duration, above 0");
  }
}

void check(const std::function<void()>& function, const BenchOptions& options) {
  if (!function) {
    throw InvalidArgument("do_bench got an empty function");
  }
  require_positive(options.warmup, "warmup");
  require_positive(options.repeat, "repeat");
  if (options.deadline <= options.deadline.zero()) {
    throw InvalidArgument("BenchOptions::deadline must be above 0");
  }
  for (const double q : options.quantiles) {
    if (!(q >= 0 && q <= 1)) {
      throw InvalidArgument(
          "a quantile of BenchOptions::quantiles must be between 0 and 1, where 0.5 is the "
          "median, not " +
          to_string(Value(q)));
    }
  }
}

/// Refuses calls from within what is being measured, on this thread. Lives as long as a do_bench.
class OnlyOne {
 public:
  OnlyOne() {
    const detail::ThreadState& thread = detail::thread_state();
    if (thread.log != nullptr || thread.use != nullptr) {
      throw InvalidArgument(
          "do_bench was called inside a region that is being tuned: call it before, or afterwards");
    }
    if (under_way) {
      throw InvalidArgument("do_bench was called by a function that do_bench is timing");
    }
    under_way = true;
  }
  OnlyOne(const OnlyOne&) = delete;
  OnlyOne& operator=(const OnlyOne&) = delete;
  ~OnlyOne() { under_way = false; }

 private:
  static inline thread_local bool under_way = false;
};

/// Drives the batches: warm-ups, then samples.
class Bench {
 public:
  Bench(const std::function<void()>& function, const BenchOptions& options)
      : options_(options), runs_(function, options) {}

  BenchResult run() {
    warm_up();
    BenchResult result;
    result.samples = measure();
    result.timer = runs_.timer().name();
    result.l2_cleared = runs_.clears();
    if (const auto bias_ns = runs_.timer().bias_ns()) {
      result.timer_bias = BenchTime(static_cast<double>(*bias_ns));
    }
    result.warnings = runs_.warnings();
    measure::summarize(result, options_.quantiles);
    return result;
  }

 private:
  /// The first run, which may load code, is one of the warm-ups, but its time is none of theirs.
  void warm_up() {
    RunAmount amount(options_.warmup);
    amount.count(1, nanoseconds{0});
    const std::size_t judged = std::clamp<std::size_t>(amount.left(nanoseconds{1}), 1, judged_runs);
    amount.count(judged, took(runs_.find_out(judged), judged));
    while (const std::size_t left = amount.left(run_time_)) {
      const std::size_t now = std::min(left, batch_length());
      amount.count(now, took(runs_.run(now), now));
    }
  }

  std::vector<BenchTime> measure() {
    std::vector<BenchTime> samples;
    RunAmount amount(options_.repeat);
    std::size_t lost = 0;
    while (const std::size_t left = amount.left(run_time_)) {
      const std::size_t now = std::min(left, batch_length());
      const std::size_t lead_in = run_time_ < long_run ? 1 : 0;
      const TimedRuns::Batch batch = runs_.run(lead_in + now);
      std::copy_if(batch.times.begin() + static_cast<std::ptrdiff_t>(lead_in), batch.times.end(),
                   std::back_inserter(samples), [](BenchTime time) { return time > time.zero(); });
      const std::size_t timed = samples.size() - amount.done();
      amount.count(timed, took(batch, lead_in + now));
      lost += now - timed;
      require_times(lost, samples.size(), amount.left(run_time_));
    }
    return samples;
  }

  void require_times(std::size_t lost, std::size_t timed, std::size_t left) const {
    if (left > 0 && lost > timed + left + longest_batch) {
      throw Error("do_bench: " + std::to_string(lost) + " runs got no time by " +
                  std::string(runs_.timer().name()) + ", and only " + std::to_string(timed) +
                  " did: does the function do anything?");
    }
  }

  /// Returns the time of a batch of so many runs, and learns from it how long one takes.
  nanoseconds took(const TimedRuns::Batch& batch, std::size_t runs) {
    run_time_ = std::max(batch.wall / static_cast<std::int64_t>(runs), nanoseconds{1});
    return batch.wall;
  }

  /// By what the last batch took.
  std::size_t batch_length() const {
    return std::clamp<std::size_t>(static_cast<std::size_t>(batch_time / run_time_), 1, longest_batch);
  }

  const BenchOptions& options_;
  TimedRuns runs_;
  nanoseconds run_time_{1};  ///< by the host's clock, of the last batch; above 0
};

}  // namespace

BenchResult do_bench(const std::function<void()>& function, const BenchOptions& options) {
  check(function, options);
  const OnlyOne only_one;
  return Bench(function, options).run();
}

}  // namespace contextual
