#pragma once

/// \file
/// Options of a tuning run. A call's options go over the tuner's, those over `set_default_options`, those
/// over the built-in defaults: what is not set falls through. The environment overrides operations only;
/// it is read once, and compared on all ranks.

#include <contextual/communicator.hpp>
#include <contextual/export.hpp>
#include <contextual/phase.hpp>
#include <contextual/schedule.hpp>
#include <contextual/statistic.hpp>
#include <contextual/timer.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace contextual {

/// What `run` does. CONTEXTUAL_MODE overrides it.
enum class Mode {
  tune,  ///< tune what is new, then run once with everything locked in
  use,   ///< run once with what is locked in; tune nothing
  off,   ///< run once with every kernel's default
};

/// Where a tuning run stands; given to the progress callback after every batch, on the thread of `run`.
struct Progress {
  std::string_view region;
  Phase phase = Phase::walk;
  std::int64_t iterations_done = 0;      ///< tuning iterations
  std::int64_t iterations_expected = 0;  ///< an estimate: done and still to come
  std::size_t open_problems = 0;         ///< not locked in yet
  std::chrono::nanoseconds elapsed{0};   ///< since `run` began
  std::chrono::nanoseconds estimated_left{0};
};

/// Given to `on_deadline`: what a rank was doing when the watchdog found it blocked.
struct BlockedInfo {
  std::string_view region;
  Activity activity = Activity::region;
  Phase phase = Phase::walk;
  std::int64_t tuning_iteration = 0;
  int rank = 0;
  std::string_view kernel;  ///< whose launch is under way, or was the iteration's last; empty: none yet
  std::string_view key;
  std::string_view config;
  bool in_launch = false;  ///< that launch has not returned
  std::chrono::nanoseconds blocked_for{0};
};

/// What a process leaves with when the watchdog ends it: see Options::grace.
inline constexpr int deadline_exit_code = 84;

/// Given to the iteration hooks.
struct IterationInfo {
  std::string_view region;
  Phase phase = Phase::walk;
  std::int64_t tuning_iteration = 0;
};

/// Every field is optional. With designated initialisers: `{.n_warmup = 1, .finals = false}`.
struct Options {
  std::optional<Mode> mode{};               ///< tune
  std::optional<int> n_warmup{};            ///< 3; uses of a config before its samples count, 1 to 1000000
  std::optional<int> n_repeat{};            ///< 5; samples of a config, 1 to 1000000
  std::optional<bool> finals{};             ///< true; false gives the documented table and nothing else
  std::optional<int> finals_candidates{};   ///< 2; this many by own time, and close ones, as many by makespan
  std::optional<int> finals_repeat{};       ///< 5; paired rounds of a contest, doubled in a second one
  std::optional<int> finals_passes{};       ///< 2; passes over all problems at most
  std::optional<double> finals_min_gain{};  ///< 0.005; gain of the makespan for a change, relative
  std::optional<double> tie_margin{};       ///< 0.005; times closer than this, relatively, are a tie
  std::optional<Statistic> statistic{};     ///< median
  std::optional<int> settle_every{};        ///< 0: at the end of each config; else tuning iterations a batch
  std::optional<std::int64_t> max_iterations{};  ///< 10000 tuning iterations a run
  std::optional<std::size_t> max_problems{};     ///< 4096 a run; launches of further keys use the default
  std::optional<bool> always_tune{};  ///< false; true tunes again what is locked in. CONTEXTUAL_ALWAYS_TUNE
  std::optional<std::chrono::milliseconds> deadline{};  ///< 60 s; for each settle and each exchange
  /// 10 s. A rank that is blocked in one run of the region, a hook, a `prepare` or a settle for longer than
  /// deadline plus grace cannot throw: a watchdog writes to stderr and to the log what it was doing, after
  /// the deadline, and leaves with `deadline_exit_code` without running destructors, or calls `on_deadline`,
  /// when the grace is over too. Of a time in which the whole process was stopped, 4 % of deadline plus grace
  /// count at most; one with a debugger attached is only told.
  std::optional<std::chrono::milliseconds> grace{};
  /// False. A wrapped region's later call that is blocked for as long is told in the same way, but left
  /// alone, since nobody waits for it in an exchange; true: it ends the process as well, or calls
  /// `on_deadline`.
  std::optional<bool> end_blocked_calls{};
  /// False: this rank's times do not count where those of another rank do; it chooses as the others.
  std::optional<bool> times_count{};                     ///< true
  std::optional<std::filesystem::path> log_directory{};  ///< .autotune_logs; empty: none. CONTEXTUAL_LOG_DIR
  std::optional<bool> print{};  ///< false; choices and progress to stderr. CONTEXTUAL_PRINT_AUTOTUNING
  std::shared_ptr<Communicator> communicator{};  ///< one_rank()
  TimerFactory timer{};        ///< what set_default_timer says, else host_timer; for GPUs cuda_or_host_timer
  ScheduleFactory schedule{};  ///< walk_schedule
  std::function<void(const Progress&)> progress{};  ///< after every batch; must not throw
  /// Called by the watchdog's thread instead of leaving, once for what is blocked; when it returns, the rank
  /// goes on being blocked. A copy of it may still run when `run` has returned. Must not throw and must not
  /// call the tuner.
  std::function<void(const BlockedInfo&)> on_deadline{};
  /// Before and after each run of the region, in every mode, on the thread of `run`, outside what is
  /// measured: to restore state, to check a result. What they throw counts as thrown by the region. A wrapped
  /// region's later calls do without them.
  std::function<void(const IterationInfo&)> before_iteration{};
  std::function<void(const IterationInfo&)> after_iteration{};
};

/// Replaces the process-wide defaults that tuners fall back to. Thread-safe; running tuners keep theirs.
CONTEXTUAL_API void set_default_options(const Options& options);

}  // namespace contextual
