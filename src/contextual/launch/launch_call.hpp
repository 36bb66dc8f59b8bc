#pragma once

/// \file
/// One intercepted launch: which config it uses, and what happens if that fails.

#include "contextual/launch/run_context.hpp"

#include <contextual/detail/launch/erased_engine.hpp>
#include <contextual/metrics.hpp>
#include <contextual/timer.hpp>

#include <cstdint>
#include <exception>
#include <string>

namespace contextual::detail {

/// Lives on the stack of one launch, inside a region that is being tuned. Never waits for a device,
/// communicates, loads code, or holds a lock while the launcher runs.
class LaunchCall {
 public:
  LaunchCall(const ErasedEngine& engine, const Key& key, const ErasedLaunch& launch);
  LaunchCall(const LaunchCall&) = delete;
  LaunchCall& operator=(const LaunchCall&) = delete;
  ~LaunchCall() {
    if (under_way_) [[unlikely]] {  // the launcher or the check of its status threw
      stop();
    }
  }

  std::size_t config_id() const noexcept { return info_.config_id; }
  const LaunchInfo& info() const noexcept { return info_; }
  /// Returns true if the problem's previous launch in this run used another config, or if there was none.
  /// Notes the config of this launch, so call it once per attempt to launch.
  bool config_changed() noexcept;
  /// Returns true for a warm-up, whose result is to be checked.
  bool wants_check() const noexcept { return info_.warmup; }

  /// Returns true in the first tuning iteration in which this rank launches the problem.
  bool wants_work() const noexcept;
  /// Adds the work of this launch to the problem's. Throws InvalidArgument if it cannot be work.
  void add_work(const KernelWork& work);

  /// Notes, for the log, an error that was pending before this launch. The launch is not blamed for it.
  void found_before(const std::string& what) noexcept;
  /// The device no longer works for this process: throws DeviceError. The run ends with it even if the region
  /// catches it.
  [[noreturn]] void device_failed(const std::string& reason);

  /// Begins the timed interval.
  void start() noexcept;
  /// Ends the timed interval. `reject`, `device_failed` and `finish` do so too, unless it has ended already.
  void stop() noexcept;

  /// The launcher has thrown this; null if it is nothing that C++ knows. Throws ConfigRejected in its place
  /// if memory has run out for a config that can be replaced; else notes who has thrown it.
  void launcher_threw(const std::exception_ptr& thrown) const;
  /// The config failed before it had any effect: switches to the fallback. Throws TuningFailedError if there
  /// is none, and Error if the kernel is coupled.
  void reject(const std::string& reason);
  /// The launch had a wrong effect: rejects the config, or the assignment that it is part of. Returns true if
  /// it has switched to the fallback, which is then to be launched.
  bool reject_result(const std::string& reason, bool can_repeat);
  /// Records the launch, which has succeeded.
  void finish() noexcept;

 private:
  void use_planned();
  void use_without_tuning();
  void use_first();
  void leave_refused();
  void tell_of_refused_default() const;
  void note_rejection(const std::string& reason, bool of_assignment);
  /// Throws Error. The run ends with it even if the region catches it.
  [[noreturn]] void fail(const std::string& cause);
  bool next_fallback();
  std::string key_text() const;

  ThreadLog& log_;
  const LaunchArguments arguments_;
  const KernelCore& core_;
  const Key& key_;
  ProblemSlot* slot_ = nullptr;
  LaunchInfo info_;
  LaunchNote note_;
  std::uint64_t current_ = 0;  ///< for the watchdog, see ThreadLog::current
  bool under_way_ = false;     ///< between `start` and `stop`
  bool fallback_ = false;
  bool late_ = false;
  bool captured_ = false;  ///< captured into a graph, so neither tuned nor timed
};

}  // namespace contextual::detail
