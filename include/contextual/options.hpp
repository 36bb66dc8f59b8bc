#pragma once

/// \file
/// Options of a tuning run. An option that a call sets takes precedence over the tuner's, that over the one
/// given to `set_default_options`, and that over the built-in default. The environment variables named below
/// take precedence over all of them. They are read once, by the first `run`. The options that decide what is
/// tuned and how must be equal on all ranks, or `run` throws RankMismatchError.

#include <contextual/communicator.hpp>
#include <contextual/export.hpp>
#include <contextual/iterations.hpp>
#include <contextual/output.hpp>
#include <contextual/phase.hpp>
#include <contextual/search.hpp>
#include <contextual/timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace contextual {

/// What `run` does. The environment variable CONTEXTUAL_MODE (`tune`, `use` or `off`) overrides it.
enum class Mode {
  tune,  ///< tunes what is new, then runs the region once with everything locked in
  use,   ///< runs the region once with the configs that are locked in, and tunes nothing
  off,   ///< runs the region once with the default of every kernel
};

/// Whether a tuning run writes down what it has measured, so that it can go on after the process has died.
enum class Journal {
  off,
  written,  ///< each batch, before the next one runs: survives the end of the process, however it comes
  synced,   ///< and waits until the disk has it: survives the end of the machine, too
};

/// Whether choices of an earlier process are compared with the defaults before they are used, and what
/// happens if the defaults win: see Options::revalidate.
enum class Revalidate {
  no,                 ///< they are used as they are
  tune_if_worse,      ///< the region is tuned again
  defaults_if_worse,  ///< this process uses the defaults
};

/// What a run prints to stderr, on rank 0 only. Each level also prints what the levels before it do. The
/// environment variable CONTEXTUAL_PRINT_AUTOTUNING (`0`, `1` or `2`) overrides it.
enum class Print : std::uint8_t {
  nothing,
  long_tunings,  ///< the progress of a tuning that takes longer than 2 s, where stderr is a terminal
  choices,       ///< progress and warnings, and at the end RegionReport::to_string: a line for each choice
  configs,  ///< the same with Detail::configs: also what was measured of each config, and why one was chosen
};

/// How far a tuning run is; given to the progress callback. The text is valid during the call only.
struct Progress {
  std::string_view region;
  Phase phase = Phase::walk;
  std::int64_t iterations_done = 0;            ///< tuning iterations so far
  std::int64_t iterations_expected = 0;        ///< at most so many by the end of the run, as far as is known
  std::size_t open_problems = 0;               ///< tuning problems that are not locked in yet
  std::chrono::nanoseconds elapsed{0};         ///< since `run` began
  std::chrono::nanoseconds estimated_left{0};  ///< for as many at the pace so far
};

/// What this rank was doing when the watchdog found it blocked; given to `on_deadline`. The texts are valid
/// during the call only.
struct BlockedInfo {
  std::string_view region;
  Activity activity = Activity::region;
  Phase phase = Phase::walk;
  std::int64_t tuning_iteration = 0;
  int rank = 0;
  std::string_view kernel;  ///< of the launch under way, else of the iteration's last launch; empty: none yet
  std::string_view key;     ///< of the same launch
  std::string_view config;  ///< of the same launch
  bool in_launch = false;   ///< true if that launch has not returned
  std::chrono::nanoseconds blocked_for{0};
};

/// The exit code of a process that the watchdog ends, see Options::grace.
inline constexpr int deadline_exit_code = 84;

/// Describes one run of the region to the iteration hooks. The text is valid during the call only.
struct IterationInfo {
  std::string_view region;
  Phase phase = Phase::walk;
  std::int64_t tuning_iteration = 0;
};

/// Details of the search that follows the walk. Every field may be left unset. A comment begins with the
/// built-in default.
struct SearchSettings {
  /// What the level says. The most runs of the region: walk, search, closing comparison and final run,
  /// retakes on top. Only a walk by own times may take more, and 3/8 of this number are then left for what
  /// follows.
  std::optional<std::int64_t> runs{};
  /// No limit. The search ends, with the best found so far, once a tuning run has taken this long by the
  /// clock of rank 0.
  std::optional<std::chrono::milliseconds> time{};
  std::optional<int> closing_rounds{};  ///< 5; of the closing comparison with the defaults; 0 leaves it out
  SearchFactory factory{};              ///< joint_search
};

/// One problem's config in an assignment that Options::feasible judges. Valid during the call only.
struct AssignedConfig {
  std::string_view kernel;
  std::string_view key;
  std::size_t config_id = 0;
  const Config* config = nullptr;  ///< null if this rank does not launch the kernel
};

/// A part of a region that can run alone, for Options::parts.
struct RegionPart {
  std::string name{};  ///< for the report; not empty, and no two parts have the same
  /// Does this part of the region's work, and nothing else of it. Called on the thread of `run`.
  std::function<void()> call{};
};

/// Every field may be left unset, e.g. `{.n_warmup = 1, .search = SearchLevel::off}`. A comment begins with
/// the built-in default.
struct Options {
  std::optional<Mode> mode{};           ///< tune
  std::optional<int> n_warmup{};        ///< 3; uses of a config before its samples count, 1 to 1000000
  std::optional<int> n_repeat{};        ///< 5; samples of a config, 1 to 1000000
  std::optional<SearchLevel> search{};  ///< normal; off gives the documented table and nothing else
  SearchSettings search_settings{};     ///< for experts
  std::optional<double> tie_margin{};   ///< 0.005; times whose relative difference is no larger are a tie
  /// joined; pipelined lets the device work of successive tuning iterations overlap
  std::optional<Iterations> iterations{};
  std::optional<std::int64_t> max_iterations{};  ///< 10000; tuning iterations per run
  std::optional<bool> always_tune{};  ///< false; true tunes again what is locked in. CONTEXTUAL_ALWAYS_TUNE
  std::optional<std::chrono::milliseconds> deadline{};  ///< 60 s; for each settle and each exchange
  /// 10 s. A rank that is blocked inside a run of the region, a hook, a `load` or a settle cannot throw.
  /// So a watchdog thread writes to stderr and to the log what the rank is doing once it has been blocked for
  /// longer than the deadline. After the grace it calls `on_deadline`, or ends the process with
  /// `deadline_exit_code` and without running destructors; with a debugger attached it does not end the
  /// process.
  ///
  /// Time in which the whole process was stopped counts as at most 4 % of the deadline, or 8 ms if that is
  /// more.
  std::optional<std::chrono::milliseconds> grace{};
  /// .autotune_logs, or no log, with a warning, where that cannot be written. Another directory that cannot
  /// be written is an error. An empty path writes no log. CONTEXTUAL_LOG_DIR
  std::optional<std::filesystem::path> log_directory{};
  /// What contextual::cache_directory() returns. Where choices are kept for other processes, which begin with
  /// them and do not tune: see docs/cache.md. An empty path keeps none. Rank 0's counts. CONTEXTUAL_CACHE_DIR
  std::optional<std::filesystem::path> cache_directory{};
  /// None. Directories with choices that ship with the program, laid out as a `cache_directory` is: what is
  /// kept there is used where that has nothing, the first directory first, and nothing is written or pinned
  /// there. Rank 0's counts. CONTEXTUAL_CHOICES_PATH, separated by colons
  std::optional<std::vector<std::filesystem::path>> choices_path{};
  /// written, where there is a `cache_directory`; see docs/resuming.md. Rank 0's counts.
  std::optional<Journal> journal{};
  /// no. In mode tune, compares kept choices with the defaults, in turn, in as many rounds as
  /// `search_settings.closing_rounds` says and at least five, when a tuner first uses them. The defaults also
  /// win what is equal. RegionReport::revalidation says what came of it.
  std::optional<Revalidate> revalidate{};
  /// long_tunings. What is printed to stderr. CONTEXTUAL_PRINT_AUTOTUNING
  std::optional<Print> print{};
  std::shared_ptr<Communicator> communicator{};  ///< one_rank()
  TimerFactory timer{};  ///< what set_default_timer got, else host_timer; for GPUs cuda_or_host_timer
  /// None. Returns false for an assignment of configs that must not be run although each config is fine by
  /// itself, for example because together they need more than the device has. Called on the thread of `run`
  /// before an assignment is planned in the walk or the search, with all problems that are tuned together.
  /// Must be pure and give the same answer on all ranks. An exception ends the run: see Search.
  /// RegisteredChecks does the same for the kernels of an object.
  std::function<bool(std::span<const AssignedConfig>)> feasible{};
  /// None. Returns true if the results of the batch are right. Called on the thread of `run` on all ranks
  /// after each batch of tuning iterations, when the region's device work is done and before the ranks meet.
  /// False, or ConfigRejected with a reason, rejects the assignment of configs that was run: it is not tried
  /// again, and its configs remain candidates beside others. May use the device and wait for it; must not
  /// communicate. Any other exception counts as thrown by the region. While it is set, a batch has one
  /// assignment. With SearchLevel::off, nothing is tried beside others again: the configs of an assignment
  /// that is rejected stay unmeasured. RegisteredChecks does the same for the kernels of an object.
  std::function<bool(const IterationInfo&)> verify{};
  /// None. What the region writes and does not read. While it is tuned, these buffers are filled with 0xFF
  /// before `restore` and `before_iteration` in the first run of each assignment of configs and in the final
  /// run, and are compared when the region's device work is done. A difference rejects the assignment as
  /// `verify` does, or, in the final run, the choices together: the next best takes the place of one of them
  /// and the region runs again, three times at most, at last with the assignment that was right first.
  /// Nothing is filled or compared in runs that do not tune.
  ///
  /// The results of the first run that succeeds are what is expected: those of the defaults, if they are
  /// feasible. Up to 256 MiB of them are kept while the region is tuned, each beside its buffer, or in host
  /// memory if it is larger than an eighth of what is free on the device then; of more, samples and the sums
  /// of blocks are kept, and a warning says so. The next run of the same configs is compared, too, and a
  /// warning says if the region does not repeat its results. A region that reads what is filled, for instance
  /// to add to it, cannot: give that buffer to `restore`, too.
  ///
  /// Memory of a device needs a timer of devices, and NVRTC for the kernel that compares it. All ranks give
  /// outputs of the same names and types in the same order; counts may differ. While it is set, a batch has
  /// one assignment. RegisteredChecks does the same for the kernels of an object.
  std::optional<std::vector<Output>> outputs{};
  /// None. Buffers whose content is copied before the first run of the region in a call that tunes, and
  /// copied back before each of these runs, the final one included, outside the measured time. So each run
  /// begins with the same state, and the call leaves what one run leaves. `before_iteration` is called after
  /// it, for the rest of the state. A `run` that tunes nothing takes the copies, too, because it may find
  /// something new, and brings nothing back. A later call of a wrapped region takes none: something new uses
  /// its default then, and the next call tunes it. After an error the buffers hold what the last run has
  /// left. Ranks may differ.
  ///
  /// The copies are where the buffers are. Those of a device are copied back on the device, between the work
  /// of two runs; those of the host when the devices have done their work. Memory of a device needs a timer
  /// of devices. A warning says how much is copied, and how long it takes.
  std::optional<std::vector<Restored>> restore{};
  /// None. Returns true for an exception, beside std::bad_alloc, that says that memory has run out, for
  /// example one of a framework's allocator. Such an exception of a launcher rejects the config, as
  /// ConfigRejected does. That of a region, or of a coupled kernel, rejects the assignment of configs where
  /// all ranks reach the end of the batch; the region must then be able to run again. With the defaults, and
  /// where the region throws it in the final run, it is an exception like any other. Called on the thread
  /// that has caught it.
  std::function<bool(const std::exception_ptr&)> is_out_of_memory{};
  /// None. The parts of the region, of which each can run alone. After a run has tuned the region and locked
  /// everything in, they are timed in turn with the whole region, in at least five rounds, and in as many as
  /// `search_settings.closing_rounds` says. RegionReport::limit then says how short the region could be, and
  /// how much of the parts' time it hides behind the longest one. Nothing is tuned in these runs: tunable
  /// kernels use what is locked in for the region, else their defaults. All ranks give parts of the same
  /// names in the same order and run them together. `before_iteration` and `after_iteration` are called
  /// around each of these runs. An exception of a part ends the run as one of the region does; what was
  /// locked in stays.
  std::optional<std::vector<RegionPart>> parts{};
  /// None. Called after every batch, on the thread of `run`. An exception ends the run: see Search.
  std::function<void(const Progress&)> progress{};
  /// None. Called by a thread of its own, instead of ending the process, once per blocked activity. When it
  /// returns, the rank stays blocked. A call may still be under way after `run` has returned, and beside one
  /// for another activity. Must not throw and must not use the tuner.
  std::function<void(const BlockedInfo&)> on_deadline{};
  /// None. Called before and after each run of the region, in every mode, on the thread of `run`, outside the
  /// measured time, for example to restore state or to check a result. Kernels launched in them are not
  /// tuned. An exception counts as thrown by the region. After a run that threw, `after_iteration` is not
  /// called. Later calls of a wrapped region that do not tune call neither of them.
  std::function<void(const IterationInfo&)> before_iteration{};
  std::function<void(const IterationInfo&)> after_iteration{};
};

/// Replaces the process-wide options that tuners fall back to, from each tuner's next `run` on. A `run` that
/// is under way keeps its options. Thread-safe.
CONTEXTUAL_API void set_default_options(const Options& options);

}  // namespace contextual
