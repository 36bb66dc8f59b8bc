#pragma once

/// \file
/// The interface to a clock, which is called around every intercepted launch and every tuning iteration.
///
/// Inside the region a timer only takes notes; it computes times at the settle. In the region it must not
/// wait for a device, allocate device memory, load code, communicate or take a lock that another launch may
/// hold. `contextual/testing/timer_conformance.hpp` checks an implementation.

#include <contextual/deadline.hpp>
#include <contextual/export.hpp>
#include <contextual/iterations.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace contextual {

class Key;

/// Describes a launch. Valid during the call only.
struct LaunchInfo {
  std::string_view region;
  std::string_view kernel;
  const Key* key = nullptr;
  std::size_t config_id = 0;
  std::int64_t tuning_iteration = 0;
  bool warmup = false;
  void* stream = nullptr;  ///< the launch's stream (a cudaStream_t), or null
  /// True if the launcher works on a device: it takes a cudaStream_t, or its launch_status is a device's.
  bool on_stream = false;
};

/// A timer's note on one launch, which the tuner keeps from `begin_launch` to the settle.
struct LaunchNote {
  std::int64_t begin = 0;  ///< any value of the timer's, e.g. a time stamp or the index of an event
  std::int64_t end = 0;    ///< any value of the timer's
};

/// A timer's note on one tuning iteration.
struct IterationNote {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// An interval in which one device was busy. To the tuner a launch lasts on each device from its first begin
/// to its last end, gaps included; it takes the union of a problem's launches, so these must come from one
/// clock; of several devices, the busiest one counts. A timer of another quantity than time gives that
/// quantity here and in `makespan_ns`; less of it is better.
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  int device = 0;  ///< -1 for the host
};

/// One launch of the batch that is being settled. The timer fills in `spans`, one per kernel and copy of the
/// launch, or none if nothing was measured.
struct LaunchTiming {
  LaunchNote note;
  std::int64_t tuning_iteration = 0;
  std::vector<Span> spans;
  /// True if there are no spans because the timer knows that the launch kept no device busy, for example
  /// because it only wrote words and waited for them in stream order. Such a launch counts as 1 ns. Without
  /// spans and without this, its time is unknown.
  bool idle = false;
  /// True if there are no spans because the batch asked for none (BatchStart::launches_timed).
  bool untimed = false;
};

/// One tuning iteration of the batch that is being settled. The timer fills in all but the first two members.
struct IterationTiming {
  IterationNote note;
  std::int64_t tuning_iteration = 0;
  /// The time from the first start to the last end of the iteration's work, or 0 if it is unknown.
  std::int64_t makespan_ns = 0;
  /// The first start and the last end of the iteration's work, on one clock for all iterations of a batch.
  /// Both are 0 if they are unknown; `end_ns` is greater than `begin_ns` otherwise. They are needed only for
  /// `Iterations::pipelined`; without them the tuner uses `makespan_ns` there, too.
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  /// The spans of the iteration's work on devices that belongs to no launch in the batch: kernels, copies and
  /// fills that the region starts outside of tunable kernels. It is an empty list if the timer sees all
  /// device work and there is no such work. It has no value if the timer does not see such work, or if it
  /// does not know all of it, for example because a record was lost. Work of a launch that has no time
  /// belongs to that launch. Work on the host is not listed.
  std::optional<std::vector<Span>> other_spans{};
};

/// The state of a device while a batch ran. What could not be read has no value.
struct DeviceState {
  int device = 0;
  std::optional<int> sm_clock_mhz{};
  std::optional<int> memory_clock_mhz{};
  std::optional<int> temperature_celsius{};
  std::optional<int> power_watts{};
  std::string slowed_by{};  ///< e.g. "power cap, thermal"; empty if nothing slowed the device down
};

/// The conditions under which a batch was measured.
struct BatchConditions {
  std::vector<DeviceState> devices;
  /// If not empty, says why the times of the batch must not be compared with those of other batches. The
  /// tuner then drops them and measures again. A timer reports only a bounded number of disturbances per run.
  std::string disturbance;
  std::vector<std::string> warnings;  ///< for the log; each one once per run
};

/// When the devices may begin with a batch, and what the tuner wants to know of it.
struct BatchStart {
  /// When the ranks met, right before the batch. They all left that exchange at nearly the same time, each on
  /// its own clock.
  std::chrono::steady_clock::time_point met;
  /// The longest that a rank's timer wanted, so that it is the same on all ranks; 0 if one wanted none.
  std::chrono::nanoseconds head_start{0};
  /// False in a search, which goes by makespans alone: a timer whose notes on launches change what it
  /// measures takes none.
  bool launches_timed = true;
};

/// Measures one `run`, which makes its own instance. `captures`, `begin_launch` and `end_launch` are called
/// by all threads of the region, possibly at the same time; the other functions by the thread of `run`.
class CONTEXTUAL_API Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  virtual ~Timer();

  /// Returns e.g. "host clock", for logs. All ranks must measure by timers of the same name.
  virtual std::string_view name() const noexcept = 0;

  /// Where ranks have different timers, all of them take the one that each rank has or can make in place of
  /// its own. `substitute_name` returns the name of that timer, or nothing if there is none,
  /// which is the default; `make_substitute` makes it.
  virtual std::string_view substitute_name() const noexcept;
  virtual std::unique_ptr<Timer> make_substitute();

  /// Returns false if the timer measures the host only, so that for a launch on a stream it measures only the
  /// call. The run then warns about kernels that take a stream, and launches that follow each other overlap
  /// nothing where the makespans are the sums of their times. The default returns true.
  virtual bool measures_devices() const noexcept;

  /// Returns true if the launch is only captured, for example into a CUDA graph. Such a launch is neither
  /// tuned nor timed; it uses the config that is locked in, else the default. Called on the launching thread,
  /// and may take some tens of ns. The default returns false.
  virtual bool captures(const LaunchInfo& launch) noexcept;

  /// Called at most once, before the first iteration: says whether the device work of an iteration must end
  /// before that of the next one begins. If so, `end_iteration` makes the devices wait, after it has taken
  /// its note, and does not wait itself. A timer that measures devices does so unless it is told
  /// `Iterations::pipelined`. What cannot be joined is a warning in `conditions`, not an error. The default
  /// does nothing, which is right for a timer that measures the host only.
  virtual void set_iterations(Iterations iterations);

  /// Called before each batch but the first. A timer of devices may make them wait until `met + head_start`,
  /// so that the host has submitted the batch's first work by then, and that the ranks begin with it at the
  /// same time. The default does nothing.
  virtual void begin_batch(const BatchStart& start);
  /// Called after `settle`: returns the head start for the next batch. 0, which is the default, if this timer
  /// needs none; `no_head_start` if none may be given on any rank.
  virtual std::chrono::nanoseconds wanted_head_start() const noexcept;
  static constexpr std::chrono::nanoseconds no_head_start = std::chrono::nanoseconds::max();

  /// Called right before and after each run of the region. `end_iteration` is not called if the region threw
  /// what ends the run.
  virtual void begin_iteration(std::int64_t tuning_iteration, IterationNote& note) = 0;
  virtual void end_iteration(std::int64_t tuning_iteration, IterationNote& note) = 0;

  /// Called on the launching thread: `begin_launch` before the launcher, `end_launch` after the check of its
  /// status. Each may take some tens of ns.
  virtual void begin_launch(const LaunchInfo& launch, LaunchNote& note) noexcept = 0;
  virtual void end_launch(const LaunchInfo& launch, LaunchNote& note) noexcept = 0;

  /// Waits, up to the deadline, until the work of the batch is done, and fills in the timings. A launch
  /// without a time keeps empty spans, an iteration without one keeps makespan 0. Throws Error if work is
  /// outstanding when the deadline expires, and DeviceError if the device no longer works.
  virtual void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
                      Deadline deadline) = 0;

  /// Returns by how many ns this timer overstates a launch's time, or nothing if that is not known. Measured
  /// once, when the timer is made; written to the log, never subtracted from times.
  virtual std::optional<std::int64_t> bias_ns() const noexcept;
  /// Returns the conditions of the batch that was settled last.
  virtual BatchConditions conditions();
  /// Returns why a first launch without `load` may block beside a kernel that waits; empty if it cannot.
  virtual std::string loading_hazard() const;
};

/// Makes the timer of one `run`, on its thread. Must not return null. An exception ends the run.
using TimerFactory = std::function<std::unique_ptr<Timer>()>;

/// Makes a timer that reads `std::chrono::steady_clock` around each launch: two clock reads. For kernels on
/// the calling thread; for one on a device it measures only the launching call, and the run warns about that.
CONTEXTUAL_API std::unique_ptr<Timer> host_timer();

/// Sets the timer of all later runs whose options set none; before the first call, that is host_timer. A
/// program with GPU kernels calls it once with cuda_or_host_timer (`contextual/cuda.hpp`), or sets
/// Options::timer. Throws InvalidArgument for an empty factory. Thread-safe.
CONTEXTUAL_API void set_default_timer(TimerFactory factory);
/// Returns the factory given to set_default_timer, else host_timer. Thread-safe.
CONTEXTUAL_API TimerFactory default_timer();

}  // namespace contextual
