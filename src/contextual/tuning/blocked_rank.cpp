#include "contextual/tuning/blocked_rank.hpp"

#include "contextual/record/text_format.hpp"
#include "contextual/record/utc_time.hpp"

#include <unistd.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>

namespace contextual::tuning {
namespace {

/// Everything the action needs, so that it may outlive the run.
struct Blocked {
  record::Event event;
  std::optional<record::RankLog> log;
  std::function<void(const BlockedInfo&)> on_deadline;
  bool leave = false;
};

/// One write: stdio's lock may be held by whoever is blocked.
void say(const std::string& line) noexcept {
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) {
    return;  // nobody is left to be told
  }
}

/// Tells, but waits only a second for it: the disk, or a pipe that nobody reads, may be what blocks.
void tell_bounded(const std::shared_ptr<Blocked>& blocked) {
  struct Told {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
  };
  const auto told = std::make_shared<Told>();
  std::thread([told, blocked] {
    if (blocked->log) {
      blocked->log->write(blocked->event);
    }
    say("[contextual] blocked for longer than the deadline: " + record::to_text(blocked->event) + "\n");
    const std::lock_guard lock(told->mutex);
    told->done = true;
    told->changed.notify_one();
  }).detach();
  std::unique_lock lock(told->mutex);
  told->changed.wait_for(lock, std::chrono::seconds(1), [&] { return told->done; });
}

record::Blocked body_of(detail::RunContext& context, const Watchdog::Place& place,
                        std::chrono::nanoseconds blocked_for) {
  record::Blocked event;
  event.activity = place.activity;
  event.phase = place.phase;
  event.tuning_iteration = place.tuning_iteration;
  event.since_iso8601 =
      record::utc_text(std::chrono::system_clock::now() -
                       std::chrono::duration_cast<std::chrono::system_clock::duration>(blocked_for));
  event.blocked_ns = blocked_for.count();
  if (auto launch = context.current_launch()) {
    event.config = {{std::move(launch->kernel), std::move(launch->key)},
                    static_cast<std::int64_t>(launch->config_id),
                    std::move(launch->config)};
    event.in_launch = launch->under_way;
  }
  return event;
}

void call_on_deadline(const Blocked& blocked) {
  const auto& event = std::get<record::Blocked>(blocked.event.body);
  const auto& [kernel, key] = event.config.problem;
  const std::string config = kernel.empty() ? "" : event.config.values.to_string();
  blocked.on_deadline({blocked.event.region, event.activity, event.phase, event.tuning_iteration,
                       static_cast<int>(blocked.event.rank), kernel, key, config, event.in_launch,
                       std::chrono::nanoseconds(event.blocked_ns)});
}

void tell(const std::shared_ptr<Blocked>& blocked) noexcept {
  try {
    tell_bounded(blocked);
  } catch (...) {
    say("[contextual] blocked for longer than the deadline; out of memory or threads to say where\n");
  }
}

void leave(const Blocked& blocked) noexcept {
  if (blocked.on_deadline) {
    call_on_deadline(blocked);  // what it throws ends the process, as documented
  } else if (blocked.leave) {
    _exit(deadline_exit_code);  // no destructor and no atexit handler: they might wait for what is blocked
  }
}

}  // namespace

Watchdog::Actions blocked_actions(const options::ResolvedOptions& options, detail::RunContext& context,
                                  const record::Recorder& recorder, const Watchdog::Place& place,
                                  std::chrono::nanoseconds blocked_for) noexcept {
  auto blocked = std::make_shared<Blocked>();
  blocked->on_deadline = options.on_deadline;
  blocked->leave = !options.on_deadline && !being_traced();
  static_assert(deadline_exit_code == 84, "the log calls BlockedAction::leave \"exit 84\"");
  record::Blocked event = body_of(context, place, blocked_for);
  event.action = options.on_deadline ? record::BlockedAction::on_deadline
                 : blocked->leave    ? record::BlockedAction::leave
                                     : record::BlockedAction::none;
  blocked->event = recorder.event_of(std::move(event));
  blocked->log = recorder.log();
  return {[blocked] { tell(blocked); }, [blocked] { leave(*blocked); }};
}

}  // namespace contextual::tuning
