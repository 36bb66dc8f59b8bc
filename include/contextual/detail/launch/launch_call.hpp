#pragma once

/// \file
/// One intercepted launch: which config it uses, what happens when that fails.

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/export.hpp>
#include <contextual/timer.hpp>

#include <cstdint>
#include <string>

namespace contextual::detail {

struct ProblemSlot;
struct ThreadLog;

/// A view of a callable that says of a config whether it is a candidate for a launch: a kernel's `keep` with
/// the launch's arguments bound. Asked at most once for each config of a problem and run.
class KeepView {
 public:
  KeepView() = default;  ///< every config is a candidate
  template <typename Keeps>
  explicit KeepView(const Keeps& keeps)
      : keeps_(&keeps), ask_([](const void* asked, std::size_t config_id) -> bool {
          return (*static_cast<const Keeps*>(asked))(config_id);
        }) {}

  bool operator()(std::size_t config_id) const { return ask_ == nullptr || ask_(keeps_, config_id); }

 private:
  const void* keeps_ = nullptr;
  bool (*ask_)(const void* keeps, std::size_t config_id) = nullptr;
};

/// Lives on the stack of one launch, inside a region that is being tuned. Never waits on a device, never
/// communicates, loads no code, holds no lock while the launcher runs.
class CONTEXTUAL_API LaunchCall {
 public:
  LaunchCall(const KernelCore& core, const Key& key, const KeepView& keep, bool on_stream, void* stream);
  LaunchCall(const LaunchCall&) = delete;
  LaunchCall& operator=(const LaunchCall&) = delete;
  ~LaunchCall() {
    if (under_way_) [[unlikely]] {  // the launcher threw, or the look at its status
      stop();
    }
  }

  std::size_t config_id() const noexcept { return info_.config_id; }
  const LaunchInfo& info() const noexcept { return info_; }
  /// The problem's launch before this one in this run used another config, or there was none. Asked once a
  /// launch, by kernels that want to know.
  bool config_changed() noexcept;
  /// A first use: the result is to be checked.
  bool wants_check() const noexcept { return info_.warmup; }

  /// Something was wrong before this launch, which is not to blame for it.
  void found_before(const std::string& what) noexcept;
  /// The device no longer works for this process. Ends the run with DeviceError, also when the region catches
  /// it.
  [[noreturn]] void device_failed(const std::string& reason);

  void start() noexcept;
  /// Ends what `start` began. `reject`, `device_failed` and `finish` do so too, where it has not been done.
  void stop() noexcept;

  /// The config failed before it had any effect: moves on to the fallback, or throws when there is none
  /// (TuningFailedError) or when the kernel is coupled (Error).
  void reject(const std::string& reason);
  /// The launch had an effect, but a wrong one. True: moved on to the fallback, launch again.
  bool reject_result(const std::string& reason, bool can_repeat);
  /// Done; records the launch.
  void finish() noexcept;

 private:
  void use_without_tuning();
  void use_first();
  void note_rejection(const std::string& reason);
  /// Ends the run, also when the region catches the exception.
  [[noreturn]] void fail(const std::string& cause);
  bool next_fallback();

  ThreadLog& log_;
  const KernelCore& core_;
  const Key& key_;
  ProblemSlot* slot_ = nullptr;
  LaunchInfo info_;
  LaunchNote note_;
  std::uint64_t current_ = 0;  ///< for the watchdog, see ThreadLog
  bool under_way_ = false;     ///< between `start` and `stop`
  bool fallback_ = false;
  bool late_ = false;
  bool captured_ = false;  ///< into a graph: neither tuned nor timed
};

}  // namespace contextual::detail
