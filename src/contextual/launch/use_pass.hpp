#pragma once

/// \file
/// Notes whether a run of a region without tuning launches anything that is not locked in.

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/key.hpp>
#include <contextual/participation.hpp>

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace contextual::detail {

/// One run of a region that uses what is locked in. All threads of the region write to it.
class UsePass {
 public:
  /// What happens if a launch fails: its caller gets the failure, or it is noted here and a fallback is
  /// launched.
  enum class Failures { are_the_callers, are_watched };

  explicit UsePass(Failures failures) : watched_(failures == Failures::are_watched) {}

  bool watched() const noexcept { return watched_; }

  /// Notes a launch without a lasting choice.
  void saw_new(const KernelCore& kernel, const Key& key) noexcept {
    const bool on_all = kernel.traits().participation == Participation::all;
    (on_all ? new_on_all_ : new_elsewhere_).store(true, std::memory_order_relaxed);
    try {
      const std::lock_guard lock(mutex_);
      if (!first_) {
        first_.emplace(kernel.traits().name, kernel.key_text(key));
      }
    } catch (...) {  // out of memory for the text
    }
  }
  /// Notes a choice that cannot be launched any more.
  void saw_rejection() noexcept { rejected_.store(true, std::memory_order_relaxed); }

  /// Returns true if a kernel that every rank launches had such a launch.
  bool new_on_all() const noexcept { return new_on_all_.load(std::memory_order_relaxed); }
  /// Returns true if a kernel that other ranks need not launch had such a launch.
  bool new_elsewhere() const noexcept { return new_elsewhere_.load(std::memory_order_relaxed); }
  bool rejected() const noexcept { return rejected_.load(std::memory_order_relaxed); }
  /// Returns the kernel and key of the first such launch. Call it after the region has returned.
  const std::optional<std::pair<std::string, std::string>>& first_new() const noexcept { return first_; }

 private:
  const bool watched_;
  std::atomic<bool> new_on_all_{false};
  std::atomic<bool> new_elsewhere_{false};
  std::atomic<bool> rejected_{false};
  std::mutex mutex_;
  std::optional<std::pair<std::string, std::string>> first_;
};

}  // namespace contextual::detail
