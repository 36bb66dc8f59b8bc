#include <contextual/error.hpp>
#include <contextual/key.hpp>
#include <contextual/testing/scripted_timer.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace contextual::testing {
namespace {

std::int64_t sum_of(std::int64_t /*tuning_iteration*/, const std::vector<ScriptedLaunch>& launches) {
  std::int64_t sum = 0;
  for (const ScriptedLaunch& launch : launches) {
    sum += std::max<std::int64_t>(launch.time_ns, 0);
  }
  return sum;
}

/// A launch's note holds its begin, and its time as `end`, so that launches need no table; `end` is 0 until
/// it ended.
class ScriptedTimer final : public Timer {
 public:
  explicit ScriptedTimer(ScriptedTimes times) : times_(std::move(times)) {}

  std::string_view name() const noexcept override { return "scripted"; }

  void begin_iteration(std::int64_t /*tuning_iteration*/, IterationNote& note) override { note = {}; }
  void end_iteration(std::int64_t /*tuning_iteration*/, IterationNote& note) override { note.end = 1; }

  void begin_launch(const LaunchInfo& /*launch*/, LaunchNote& note) noexcept override { note = {}; }

  void end_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    try {
      const std::scoped_lock lock(mutex_);
      note.end = times_.launch_ns(launch);
      note.begin = times_.launch_begin_ns ? times_.launch_begin_ns(launch) : 0;
      launches_[launch.tuning_iteration].push_back({std::string(launch.kernel),
                                                    launch.key != nullptr ? launch.key->to_string() : "",
                                                    launch.config_id, note.end});
    } catch (...) {
      note.end = 0;  // no time
    }
  }

  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline /*deadline*/) override {
    for (LaunchTiming& launch : launches) {
      launch.spans.clear();
      if (launch.note.end > 0) {
        launch.spans.push_back({launch.note.begin, launch.note.begin + launch.note.end, -1});
      }
    }
    const std::scoped_lock lock(mutex_);
    for (IterationTiming& iteration : iterations) {
      fill(iteration);
    }
    launches_.clear();
  }

 private:
  void fill(IterationTiming& iteration) noexcept {
    iteration.makespan_ns = iteration.begin_ns = iteration.end_ns = 0;
    iteration.other_spans.reset();
    if (iteration.note.end == 0) {
      return;
    }
    const std::int64_t number = iteration.tuning_iteration;
    try {
      const std::vector<ScriptedLaunch>& launches = launches_[number];
      const std::int64_t makespan_ns = std::max<std::int64_t>(times_.makespan_ns(number, launches), 0);
      if (times_.iteration_begin_ns && makespan_ns > 0) {
        iteration.begin_ns = times_.iteration_begin_ns(number);
        iteration.end_ns = iteration.begin_ns + makespan_ns;
      }
      if (times_.other_spans) {
        iteration.other_spans = times_.other_spans(number, launches);
      }
      iteration.makespan_ns = makespan_ns;
    } catch (...) {
      iteration.begin_ns = iteration.end_ns = 0;  // no time
    }
  }

  const ScriptedTimes times_;
  std::mutex mutex_;
  std::map<std::int64_t, std::vector<ScriptedLaunch>>
      launches_;  ///< since the last settle, by tuning iteration
};

}  // namespace

TimerFactory scripted_timer(ScriptedLaunchTime launch_ns, ScriptedMakespan makespan_ns) {
  return scripted_timer_with({.launch_ns = std::move(launch_ns), .makespan_ns = std::move(makespan_ns)});
}

TimerFactory scripted_timer_with(ScriptedTimes times) {
  if (!times.launch_ns) {
    throw InvalidArgument("scripted_timer: launch_ns is empty; give a function that says a launch's time");
  }
  if (!times.makespan_ns) {
    times.makespan_ns = sum_of;
  }
  return [times = std::move(times)] { return std::make_unique<ScriptedTimer>(times); };
}

}  // namespace contextual::testing
