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

/// A launch's note holds its time as `end`, so that launches need no table; 0 until it ended.
class ScriptedTimer final : public Timer {
 public:
  ScriptedTimer(ScriptedLaunchTime launch_ns, ScriptedMakespan makespan_ns)
      : launch_ns_(std::move(launch_ns)), makespan_ns_(std::move(makespan_ns)) {}

  std::string_view name() const noexcept override { return "scripted"; }

  void begin_iteration(std::int64_t /*tuning_iteration*/, IterationNote& note) override { note = {}; }
  void end_iteration(std::int64_t /*tuning_iteration*/, IterationNote& note) override { note.end = 1; }

  void begin_launch(const LaunchInfo& /*launch*/, LaunchNote& note) noexcept override { note = {}; }

  void end_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    try {
      const std::scoped_lock lock(mutex_);
      note.end = launch_ns_(launch);
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
        launch.spans.push_back({0, launch.note.end, -1});
      }
    }
    const std::scoped_lock lock(mutex_);
    for (IterationTiming& iteration : iterations) {
      iteration.makespan_ns = iteration.note.end != 0 ? makespan(iteration.tuning_iteration) : 0;
    }
    launches_.clear();
  }

 private:
  std::int64_t makespan(std::int64_t tuning_iteration) noexcept {
    try {
      return std::max<std::int64_t>(makespan_ns_(tuning_iteration, launches_[tuning_iteration]), 0);
    } catch (...) {
      return 0;  // no time
    }
  }

  const ScriptedLaunchTime launch_ns_;
  const ScriptedMakespan makespan_ns_;
  std::mutex mutex_;
  std::map<std::int64_t, std::vector<ScriptedLaunch>>
      launches_;  ///< since the last settle, by tuning iteration
};

}  // namespace

TimerFactory scripted_timer(ScriptedLaunchTime launch_ns, ScriptedMakespan makespan_ns) {
  if (!launch_ns) {
    throw InvalidArgument("scripted_timer: launch_ns is empty; give a function that says a launch's time");
  }
  if (!makespan_ns) {
    makespan_ns = sum_of;
  }
  return [launch_ns = std::move(launch_ns), makespan_ns = std::move(makespan_ns)] {
    return std::make_unique<ScriptedTimer>(launch_ns, makespan_ns);
  };
}

}  // namespace contextual::testing
