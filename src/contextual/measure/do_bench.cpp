#include "contextual/measure/bench_summary.hpp"
#include "contextual/measure/timed_runs.hpp"

#include <contextual/do_bench.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

namespace contextual {
namespace {

using measure::TimedRuns;
using std::chrono::nanoseconds;

constexpr std::size_t most_runs = 10'000;   // of a duration: the samples are kept
constexpr std::size_t judged_runs = 5;      // that say how long a run takes
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
      throw InvalidArgument("a quantile of BenchOptions::quantiles must be between 0 and 1, not " +
                            std::to_string(q));
    }
  }
}

/// Drives the batches: warm-ups, then samples.
class Bench {
 public:
  Bench(const std::function<void()>& function, const BenchOptions& options)
      : options_(options), runs_(function, options) {}

  BenchResult run() {
    warm_up();
    const std::vector<BenchTime> samples = measure(count_of(options_.repeat));
    BenchResult result;
    result.samples = samples;
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
  /// The first run is one of the warm-ups, and so are those that tell how long a run takes.
  void warm_up() {
    run_time_ = runs_.run_first();
    std::size_t done = 1;
    if (std::holds_alternative<nanoseconds>(options_.warmup) ||
        std::holds_alternative<nanoseconds>(options_.repeat)) {
      run_batch(judged_runs);
      done += judged_runs;
    }
    for (const std::size_t wanted = count_of(options_.warmup); done < wanted;) {
      const std::size_t now = std::min(wanted - done, batch_length());
      run_batch(now);
      done += now;
    }
  }

  std::vector<BenchTime> measure(std::size_t wanted) {
    std::vector<BenchTime> samples;
    samples.reserve(wanted);
    const std::size_t most_lost = wanted + longest_batch;
    std::size_t asked = 0;
    while (samples.size() < wanted) {
      const std::size_t now = std::min(wanted - samples.size(), batch_length());
      const std::size_t lead_in = run_time_ < long_run ? 1 : 0;
      const TimedRuns::Batch batch = run_batch(lead_in + now);
      std::copy_if(batch.times.begin() + static_cast<std::ptrdiff_t>(lead_in), batch.times.end(),
                   std::back_inserter(samples), [](BenchTime time) { return time > time.zero(); });
      asked += now;
      const std::size_t lost = asked - samples.size();
      if (lost > most_lost) {
        throw Error("do_bench: " + std::to_string(lost) + " runs got no time by " +
                    std::string(runs_.timer().name()) + ", and only " + std::to_string(samples.size()) +
                    " of " + std::to_string(wanted) + " did: does the function do anything?");
      }
    }
    return samples;
  }

  TimedRuns::Batch run_batch(std::size_t runs) {
    TimedRuns::Batch batch = runs_.run(runs);
    run_time_ = batch.wall / static_cast<std::int64_t>(runs);
    return batch;
  }

  /// By what the last batch took.
  std::size_t batch_length() const {
    const nanoseconds each = std::max(run_time_, nanoseconds{1});
    return std::clamp<std::size_t>(static_cast<std::size_t>(batch_time / each), 1, longest_batch);
  }
  std::size_t count_of(const BenchRuns& runs) const {
    if (const int* const count = std::get_if<int>(&runs)) {
      return static_cast<std::size_t>(*count);
    }
    const nanoseconds each = std::max(run_time_, nanoseconds{1});
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::get<nanoseconds>(runs) / each), 1,
                                   most_runs);
  }

  const BenchOptions& options_;
  TimedRuns runs_;
  nanoseconds run_time_{0};  ///< by the host's clock, of the last batch
};

}  // namespace

BenchResult do_bench(const std::function<void()>& function, const BenchOptions& options) {
  check(function, options);
  return Bench(function, options).run();
}

}  // namespace contextual
