#include "contextual/autotuner/blocked_rank.hpp"

#include "contextual/store/text_format.hpp"
#include "contextual/store/utc_time.hpp"

#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace contextual::autotuner {
namespace {

void say(const std::string& line) noexcept {
  // One write: stdio's lock may be held by whoever is blocked.
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) {
    return;  // nobody is left to be told
  }
}

/// Writes the event, but waits only a second for it: the disk may be what is blocked.
void log_bounded(const Recorder& recorder, const store::Blocked& event) {
  struct State {
    std::mutex mutex;
    std::condition_variable done;
    bool finished = false;
  };
  const auto state = std::make_shared<State>();
  std::thread([state, event, log = recorder.log()]() mutable {
    if (log) {
      log->write(event);
    }
    const std::lock_guard lock(state->mutex);
    state->finished = true;
    state->done.notify_one();
  }).detach();
  std::unique_lock lock(state->mutex);
  state->done.wait_for(lock, std::chrono::seconds(1), [&] { return state->finished; });
}

std::string action_of(const ResolvedOptions& options) {
  if (options.on_deadline) {
    return "on_deadline";
  }
  return being_traced() ? "none: a debugger is attached" : "exit " + std::to_string(deadline_exit_code);
}

store::Blocked event_of(const ResolvedOptions& options, detail::RunContext& context, Recorder& recorder,
                        const Watchdog::Place& place, std::chrono::nanoseconds blocked_for) {
  store::Blocked event = recorder.blocked_event();
  event.activity = place.activity;
  event.phase = place.phase;
  event.tuning_iteration = place.tuning_iteration;
  event.since_iso8601 =
      store::utc_text(std::chrono::system_clock::now() -
                      std::chrono::duration_cast<std::chrono::system_clock::duration>(blocked_for));
  event.blocked_ns = blocked_for.count();
  event.action = action_of(options);
  if (const auto launch = context.current_launch()) {
    event.kernel = launch->kernel;
    event.key = launch->key;
    event.config_id = launch->config_id;
    event.config = launch->config;
    event.in_launch = launch->under_way;
  }
  return event;
}

void call_on_deadline(const ResolvedOptions& options, const store::Blocked& event) {
  const std::string config = event.kernel.empty() ? "" : event.config.to_string();
  options.on_deadline({event.region, event.activity, event.phase, event.tuning_iteration, event.rank,
                       event.kernel, event.key, config, event.in_launch,
                       std::chrono::nanoseconds(event.blocked_ns)});
}

}  // namespace

void report_blocked(const ResolvedOptions& options, detail::RunContext& context, Recorder& recorder,
                    const Watchdog::Place& place, std::chrono::nanoseconds blocked_for) noexcept {
  try {
    const store::Blocked event = event_of(options, context, recorder, place, blocked_for);
    say("[contextual] blocked for longer than deadline and grace: " + store::to_text(event) + "\n");
    log_bounded(recorder, event);
    if (options.on_deadline) {
      call_on_deadline(options, event);
      return;
    }
    if (event.action.rfind("none", 0) == 0) {
      return;
    }
  } catch (const std::exception& error) {
    say(std::string("[contextual] the watchdog could not report a blocked rank: ") + error.what() + "\n");
  }
  if (!options.on_deadline) {
    _exit(deadline_exit_code);  // no destructor and no atexit handler: they might wait for what is blocked
  }
}

}  // namespace contextual::autotuner
