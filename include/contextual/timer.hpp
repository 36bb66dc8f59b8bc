#pragma once

/// \file
/// The seam to a clock: what is called around every intercepted launch and every tuning iteration.
///
/// A timer notes down; it measures at the settle. Inside the region it must not wait for a device,
/// allocate device memory, load code, communicate or take a lock that another launch may hold.
/// `contextual/testing/timer_conformance.hpp` checks an implementation.

#include <contextual/deadline.hpp>
#include <contextual/export.hpp>

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

/// What is being launched; valid during the call only.
struct LaunchInfo {
  std::string_view region;
  std::string_view kernel;
  const Key* key = nullptr;
  std::size_t config_id = 0;
  std::int64_t tuning_iteration = 0;
  bool warmup = false;
  void* stream = nullptr;  ///< the launch's stream or null; opaque here
  bool on_stream = false;  ///< the launcher takes a cudaStream_t: it works on a device
};

/// A timer's note of one launch, kept by the tuner from `begin_launch` to the settle.
struct LaunchNote {
  std::int64_t begin = 0;  ///< the timer's own, e.g. a time stamp or an event's index
  std::int64_t end = 0;    ///< the timer's own
};

/// A timer's note of one tuning iteration.
struct IterationNote {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// A busy interval on one device.
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  int device = 0;  ///< -1 is the host
};

/// One launch of one tuning iteration at the settle. `spans` receives what it kept busy: a launch may be
/// several kernels and copies. Empty spans: nothing was measured.
struct LaunchTiming {
  LaunchNote note;
  std::int64_t tuning_iteration = 0;
  std::vector<Span> spans;
};

/// One tuning iteration at the settle. `makespan_ns` is its time from first start to last end; 0 when
/// unknown.
struct IterationTiming {
  IterationNote note;
  std::int64_t tuning_iteration = 0;
  std::int64_t makespan_ns = 0;
};

/// A device while a batch ran. Fields without a value could not be read.
struct DeviceState {
  int device = 0;
  std::optional<int> sm_clock_mhz{};
  std::optional<int> memory_clock_mhz{};
  std::optional<int> temperature_celsius{};
  std::optional<int> power_watts{};
  std::string slowed_by{};  ///< e.g. "power cap, thermal"; empty: by nothing
};

/// What the times of a batch were taken under.
struct BatchConditions {
  std::vector<DeviceState> devices;
  /// Why they must not be compared with those of other batches; they are dropped then, and taken again. A
  /// timer says so a bounded number of times a run.
  std::string disturbance;
  std::vector<std::string> warnings;  ///< for the log; each once a run
};

/// Measures the launches and tuning iterations of one `run`. One instance a `run`; `begin_launch` and
/// `end_launch` come from all threads of the region, the other calls from the thread that called `run`.
class CONTEXTUAL_API Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  virtual ~Timer();

  virtual std::string_view name() const noexcept = 0;  ///< for logs, e.g. "host clock"

  /// False: it sees the host alone, so the time of a launch on a stream is that of the call. The run then
  /// warns of kernels that take a stream.
  virtual bool measures_devices() const noexcept;

  /// The launch is only recorded, as into a CUDA graph: nothing is tuned or timed then, and it uses what is
  /// locked in, else the default. On the launching thread; budget as `begin_launch`.
  virtual bool captures(const LaunchInfo& launch) noexcept;

  virtual void begin_iteration(std::int64_t tuning_iteration, IterationNote& note) = 0;
  virtual void end_iteration(std::int64_t tuning_iteration, IterationNote& note) = 0;

  /// Around the launcher and the look at its status, on the launching thread. Budget: some tens of ns.
  virtual void begin_launch(const LaunchInfo& launch, LaunchNote& note) noexcept = 0;
  virtual void end_launch(const LaunchInfo& launch, LaunchNote& note) noexcept = 0;

  /// Waits, bounded, until the work of the batch is done and fills in the timings. A launch or iteration
  /// without a time keeps empty spans or makespan 0; that is not an error.
  /// Throws Error when the deadline expires with work outstanding.
  virtual void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
                      Deadline deadline) = 0;

  /// How much longer than it was a launch reads with this timer, a constant that was measured when the timer
  /// was made; told in the log, never subtracted. Empty: not known.
  virtual std::optional<std::int64_t> bias_ns() const noexcept;
  /// Of the batch that was settled last.
  virtual BatchConditions conditions();
  /// Why a launcher without `prepare` may block beside a kernel that waits, e.g. because its code is loaded
  /// by its first launch; empty: it may not.
  virtual std::string loading_hazard() const;
};

/// Makes a timer for one `run`. Called on every rank.
using TimerFactory = std::function<std::unique_ptr<Timer>()>;

/// `std::chrono::steady_clock` around each launch: for kernels that run on the calling thread.
/// Of a kernel on a device it measures how long the call takes that launches it, and the run warns.
/// Cost: two clock reads a launch.
CONTEXTUAL_API std::unique_ptr<Timer> host_timer();

/// What a run measures with where Options::timer is not set: host_timer until this is called. Thread-safe;
/// running tuners keep theirs. A program with kernels on GPUs calls it once, with cuda_or_host_timer
/// (`contextual/cuda.hpp`), or sets Options::timer. Throws InvalidArgument for an empty one.
CONTEXTUAL_API void set_default_timer(TimerFactory factory);
CONTEXTUAL_API TimerFactory default_timer();

}  // namespace contextual
