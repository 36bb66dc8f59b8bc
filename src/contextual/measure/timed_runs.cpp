#include "contextual/measure/timed_runs.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <utility>

namespace contextual::measure {
namespace {

using Clock = std::chrono::steady_clock;

std::unique_ptr<Timer> timer_of(const BenchOptions& options) {
  const TimerFactory factory = options.timer ? options.timer : default_timer();
  std::unique_ptr<Timer> timer = factory();
  if (timer == nullptr) {
    throw InvalidArgument("the timer factory of do_bench returned null: it has to return a timer");
  }
  timer->set_iterations(Iterations::joined);
  return timer;
}

/// Without a device: the time in the function alone, and not what surrounds it.
std::int64_t host_ns(const LaunchTiming& launch) {
  return launch.spans.empty() ? 0 : launch.spans.front().end_ns - launch.spans.front().begin_ns;
}

void add_devices(const std::vector<Span>& spans, std::vector<int>& devices) {
  for (const Span& span : spans) {
    if (span.device >= 0 && std::find(devices.begin(), devices.end(), span.device) == devices.end()) {
      devices.push_back(span.device);
    }
  }
}

/// The timer is sure of it; a time that is only missing is no proof.
bool kept_no_device_busy(const IterationTiming& iteration, const LaunchTiming& launch) {
  return iteration.other_spans && iteration.other_spans->empty() && launch.spans.empty() && !launch.idle;
}

}  // namespace

TimedRuns::TimedRuns(const std::function<void()>& function, const BenchOptions& options)
    : function_(function), options_(options), timer_(timer_of(options)) {
  refuse_captures();
}

void TimedRuns::refuse_captures() {
  const detail::BenchDevices* const devices = detail::bench_devices();
  if (timer_->measures_devices() && devices != nullptr &&
      devices->captured(options_.stream.value_or(nullptr))) {
    throw InvalidArgument(
        "do_bench was called while a stream is being captured, so that nothing would run: call it "
        "before the capture, or after it");
  }
}

TimedRuns::Batch TimedRuns::find_out(std::size_t runs) {
  const Batch first = run(1);
  Batch later = run(runs);
  if (!timer_->measures_devices()) {
    return later;
  }
  if (later.no_device_work) {
    if (options_.stream) {
      throw Error("do_bench got a stream, but the function keeps no device busy, says " +
                  std::string(timer_->name()) +
                  ": name the stream on which it works, or time a function of the host without a stream");
    }
    timer_ = host_timer();
  } else if (!options_.stream && !first.sees_all && !later.sees_all) {
    measure_blindly();
  } else if (options_.clear_l2) {
    make_clearing(later.devices);
  }
  return later;
}

/// Such a timer takes its time on a default stream. If that one waits for all others, and if it does not wait
/// for a head start or for a clearing before, then the time begins when the function is called, and ends not
/// before the function and its work have ended.
void TimedRuns::measure_blindly() {
  blind_ = true;
  const detail::BenchDevices* const devices = detail::bench_devices();
  gathering_ = devices == nullptr ? nullptr : devices->gathering();
  warnings_.push_back(
      std::string(timer_->name()) +
      " cannot tell what a function does on devices without the name of its stream: the times include "
      "its launching calls, and the L2 cache is not cleared" +
      (gathering_ != nullptr ? ""
                             : ", and work on streams that do not wait for the default stream is missing, "
                               "because the driver is older than CUDA 12.5, or other threads may capture") +
      ". Name the stream, or use host_timer for a function of the host");
}

void TimedRuns::make_clearing(const std::vector<int>& devices) {
  const detail::BenchDevices* const known = detail::bench_devices();
  if (known != nullptr) {
    clearing_ = options_.stream ? known->clearing_on(*options_.stream) : known->clearing_of(devices);
  }
}

TimedRuns::Batch TimedRuns::run(std::size_t runs) {
  const Clock::time_point begin = Clock::now();
  Notes notes;
  try {
    submit(runs, notes);
  } catch (...) {
    try {  // what was submitted before may still use the function's data
      settle(notes);
    } catch (const Error&) {
      static_cast<void>(0);  // the function's own exception says more
    }
    throw;
  }
  settle(notes);
  return batch_of(notes, Clock::now() - begin);
}

TimedRuns::Batch TimedRuns::batch_of(const Notes& notes, std::chrono::nanoseconds wall) {
  Batch batch;
  batch.wall = wall;
  batch.no_device_work = true;
  const bool disturbed = !read_conditions();
  for (const LaunchTiming& launch : notes.launches) {
    const auto iteration = std::find_if(
        notes.iterations.begin(), notes.iterations.end(),
        [&](const IterationTiming& other) { return other.tuning_iteration == launch.tuning_iteration; });
    batch.no_device_work = batch.no_device_work && kept_no_device_busy(*iteration, launch);
    add_devices(launch.spans, batch.devices);
    if (iteration->other_spans) {
      batch.sees_all = true;
      add_devices(*iteration->other_spans, batch.devices);
    }
    const std::int64_t time_ns = timer_->measures_devices() ? iteration->makespan_ns : host_ns(launch);
    batch.times.emplace_back(disturbed ? 0.0 : static_cast<double>(std::max<std::int64_t>(time_ns, 0)));
  }
  return batch;
}

void TimedRuns::submit(std::size_t runs, Notes& notes) {
  if (settled_before_) {
    const std::chrono::nanoseconds wanted = timer_->wanted_head_start();
    const bool none = blind_ || wanted == Timer::no_head_start;
    timer_->begin_batch({Clock::now(), none ? std::chrono::nanoseconds{0} : wanted});
  }
  notes.launches.reserve(runs);
  notes.iterations.reserve(2 * runs);
  for (std::size_t i = 0; i < runs; ++i) {
    submit_clearing(notes);
    submit_run(notes);
  }
}

/// An iteration of its own: the timer then makes the run's work wait for the clearing, whatever streams it is
/// on, and counts it as none of the run's.
void TimedRuns::submit_clearing(Notes& notes) {
  if (clearing_ == nullptr) {
    return;
  }
  IterationTiming iteration;
  iteration.tuning_iteration = iteration_++;
  timer_->begin_iteration(iteration.tuning_iteration, iteration.note);
  clearing_->clear();
  timer_->end_iteration(iteration.tuning_iteration, iteration.note);
  notes.iterations.push_back(iteration);
}

void TimedRuns::submit_run(Notes& notes) {
  LaunchInfo info;
  info.region = "do_bench";
  info.kernel = "function";
  info.key = &key_;
  info.tuning_iteration = iteration_;
  info.stream = options_.stream.value_or(nullptr);
  info.on_stream = timer_->measures_devices();
  LaunchTiming launch;
  IterationTiming iteration;
  launch.tuning_iteration = iteration.tuning_iteration = iteration_++;
  timer_->begin_iteration(iteration.tuning_iteration, iteration.note);
  timer_->begin_launch(info, launch.note);
  try {
    function_();
    if (gathering_ != nullptr) {
      gathering_->gather();
    }
  } catch (...) {
    timer_->end_launch(info, launch.note);
    throw;
  }
  timer_->end_launch(info, launch.note);
  timer_->end_iteration(iteration.tuning_iteration, iteration.note);
  notes.launches.push_back(std::move(launch));
  notes.iterations.push_back(std::move(iteration));
}

void TimedRuns::settle(Notes& notes) {
  try {
    timer_->settle(notes.launches, notes.iterations, Deadline::after(options_.deadline));
  } catch (...) {
    if (clearing_ != nullptr) {
      clearing_->abandon();
    }
    throw;
  }
  settled_before_ = true;
}

/// Returns false if the batch was disturbed.
bool TimedRuns::read_conditions() {
  BatchConditions conditions = timer_->conditions();
  if (!conditions.disturbance.empty()) {
    conditions.warnings.push_back("a batch was measured again: " + conditions.disturbance);
  }
  for (std::string& warning : conditions.warnings) {
    if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end()) {
      warnings_.push_back(std::move(warning));
    }
  }
  return conditions.disturbance.empty();
}

}  // namespace contextual::measure
