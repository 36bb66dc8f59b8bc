#include "contextual/tuning/blocked_rank.hpp"

#include "contextual/record/log_lines.hpp"
#include "contextual/record/utc_time.hpp"
#include "contextual/tuning/rejected_configs.hpp"

#include <contextual/detail/sync/blocked_process.hpp>

#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace contextual::tuning {
namespace {

/// Everything the action needs, so that it may outlive the run.
struct Blocked {
  record::Event event;
  std::vector<record::Event> reasons{};  ///< warnings of what may have led to it
  std::optional<record::RankLog> log;
  std::filesystem::path log_directory;  ///< where `log` is not open yet; empty: none
  int process_rank = 0;
  std::function<void(const BlockedInfo&)> on_deadline;
  bool leave = false;

  std::mutex mutex;  ///< of what follows, and of the log's order
  bool told = false;
  bool ended = false;  ///< before it was told
};

void write(Blocked& blocked, const record::Event& event) noexcept {
  try {
    if (blocked.log) {
      blocked.log->write(event);
    } else if (!blocked.log_directory.empty()) {
      record::RankLog(blocked.log_directory, blocked.process_rank).write(event);
    }
  } catch (...) {  // it was said when the run opened its log
  }
}

void write_end(Blocked& blocked) noexcept {
  try {
    record::Event event = blocked.event;
    event.body = record::Warning{"a call that was blocked for longer than the deadline has ended after all"};
    write(blocked, event);
  } catch (...) {  // no memory for the words
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
    {
      const std::lock_guard order(blocked->mutex);
      write(*blocked, blocked->event);
      for (const record::Event& reason : blocked->reasons) {
        write(*blocked, reason);
      }
      blocked->told = true;
      if (blocked->ended) {
        write_end(*blocked);
      }
    }
    std::string text =
        "[contextual] blocked for longer than the deadline: " + record::to_text(blocked->event) + "\n";
    for (const record::Event& reason : blocked->reasons) {
      text += "[contextual] " + record::to_text(reason) + "\n";
    }
    detail::tell_stderr(text);
    const std::lock_guard lock(told->mutex);
    told->done = true;
    told->changed.notify_one();
  }).detach();
  std::unique_lock lock(told->mutex);
  told->changed.wait_for(lock, std::chrono::seconds(1), [&] { return told->done; });
}

record::Blocked body_of(const Watchdog::Place& place, std::chrono::nanoseconds blocked_for) {
  record::Blocked event;
  event.activity = place.activity;
  event.phase = place.phase;
  event.tuning_iteration = place.tuning_iteration;
  event.since_iso8601 =
      record::utc_text(std::chrono::system_clock::now() -
                       std::chrono::duration_cast<std::chrono::system_clock::duration>(blocked_for));
  event.blocked_ns = blocked_for.count();
  return event;
}

record::ConfigUse use_of(detail::CurrentLaunch&& launch) {
  return {{std::move(launch.kernel), std::move(launch.key)},
          static_cast<std::int64_t>(launch.config_id),
          std::move(launch.config)};
}

record::Blocked body_of(detail::RunContext& context, const Watchdog::Place& place,
                        std::chrono::nanoseconds blocked_for) {
  record::Blocked event = body_of(place, blocked_for);
  if (auto launch = context.current_launch()) {
    event.in_launch = launch->under_way;
    event.config = use_of(std::move(*launch));
  }
  if (place.activity != Activity::prepare) {  // of a batch that has not begun
    for (detail::CurrentLaunch& used : context.assignment()) {
      event.assignment.push_back(use_of(std::move(used)));
    }
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
    detail::tell_stderr(
        "[contextual] blocked for longer than the deadline; out of memory or threads to say where\n");
  }
}

void leave(const Blocked& blocked) noexcept {
  if (blocked.on_deadline) {
    call_on_deadline(blocked);  // what it throws ends the process, as documented
  } else if (blocked.leave) {
    _exit(deadline_exit_code);  // no destructor and no atexit handler: they might wait for what is blocked
  }
}

std::shared_ptr<Blocked> blocked_of(const options::ResolvedOptions& options, AfterGrace after_grace) {
  auto blocked = std::make_shared<Blocked>();
  if (after_grace == AfterGrace::leave) {
    blocked->on_deadline = options.on_deadline;
    blocked->leave = !options.on_deadline && !detail::being_traced();
  }
  return blocked;
}

record::BlockedAction action_of(const Blocked& blocked) {
  static_assert(deadline_exit_code == 84, "the log calls BlockedAction::exit_process \"exit 84\"");
  return blocked.on_deadline ? record::BlockedAction::on_deadline
         : blocked.leave     ? record::BlockedAction::exit_process
                             : record::BlockedAction::none;
}

/// Says that a call went on, so that nobody takes it for blocked.
void tell_end(Blocked& blocked) noexcept {
  const std::lock_guard order(blocked.mutex);
  blocked.ended = true;
  if (blocked.told) {
    write_end(blocked);
  }
}

Watchdog::Actions actions_of(const std::shared_ptr<Blocked>& blocked) {
  return {[blocked] { tell(blocked); }, [blocked] { leave(*blocked); }};
}

}  // namespace

Watchdog::Watch watch_of_run(Watchdog& watchdog, const options::ResolvedOptions& options,
                             detail::RunContext& context, const record::Recorder& recorder) {
  const auto bark = [&](const Watchdog::Place& place, std::chrono::nanoseconds blocked_for) noexcept {
    auto blocked = blocked_of(options, AfterGrace::leave);
    record::Blocked event = body_of(context, place, blocked_for);
    event.action = action_of(*blocked);
    blocked->event = recorder.event_of(std::move(event));
    for (std::string& rejection : rejections_of_batch(context)) {
      blocked->reasons.push_back(recorder.event_of(record::Warning{std::move(rejection)}));
    }
    blocked->log = recorder.log();
    return actions_of(blocked);
  };
  return {&watchdog, options.deadline, options.grace, bark};
}

Watchdog::Watch watch_of_call(Watchdog& watchdog, const options::ResolvedOptions& options,
                              const std::string& region, const RunReports& reports, AfterGrace after_grace,
                              const detail::MadeReady* made_ready) {
  const bool leaves = after_grace == AfterGrace::leave;
  const auto bark = [&options, &region, &reports, after_grace, leaves, made_ready](
                        const Watchdog::Place& place, std::chrono::nanoseconds blocked_for) noexcept {
    auto blocked = blocked_of(options, after_grace);
    record::Blocked event = body_of(place, blocked_for);
    if (auto config = made_ready != nullptr ? made_ready->config() : std::nullopt) {
      event.config = use_of(*std::move(config));
    }
    event.action = leaves ? action_of(*blocked) : record::BlockedAction::report_only;
    blocked->event = {reports.last_run_id(region), options.communicator->rank(), region, std::move(event)};
    blocked->log_directory = options.log_directory;
    blocked->process_rank = options.communicator->process_rank();
    Watchdog::Actions actions = actions_of(blocked);
    actions.over = [blocked] { tell_end(*blocked); };
    return actions;
  };
  return {&watchdog, options.deadline, options.grace, bark};
}

}  // namespace contextual::tuning
