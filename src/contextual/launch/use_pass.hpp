#pragma once

/// \file
/// Notes whether a run of a region without tuning launches anything that is not locked in.

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/key.hpp>
#include <contextual/participation.hpp>

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace contextual::detail {

/// What happens to a launch if another living kernel has the same name.
enum class Namesakes {
  are_refused,  ///< the launch throws, because the two kernels cannot be told apart
  are_of_ranks  ///< the launch works: ranks are threads of this process, and each may have its own kernel
};

/// Returns what applies to ranks of that Communicator::process_scope.
inline Namesakes namesakes_in(std::string_view process_scope) noexcept {
  return process_scope.empty() ? Namesakes::are_refused : Namesakes::are_of_ranks;
}

/// One run of a region that uses what is locked in. All threads of the region write to it.
class UsePass {
 public:
  /// What happens if a launch fails: its caller gets the failure, or it is noted here and a fallback is
  /// launched.
  enum class Failures { are_the_callers, are_watched };

  /// What is kept of a new launch: that there was one, or also its name, for which it takes a lock.
  enum class New { is_noted, is_named };

  /// `rank`: which of several ranks this is, else negative.
  UsePass(Failures failures, Namesakes namesakes, New what_is_new, int rank)
      : watched_(failures == Failures::are_watched),
        named_(what_is_new == New::is_named),
        namesakes_(namesakes),
        rank_(rank) {}

  bool watched() const noexcept { return watched_; }
  int rank() const noexcept { return rank_; }
  Namesakes namesakes() const noexcept { return namesakes_; }

  /// Notes a launch without a lasting choice.
  void saw_new(const KernelCore& kernel, const Key& key) noexcept {
    const bool on_all = kernel.traits().participation == Participation::all;
    (on_all ? new_on_all_ : new_elsewhere_).store(true, std::memory_order_relaxed);
    if (!named_ || !on_all) {
      return;
    }
    try {
      const std::lock_guard lock(mutex_);
      if (first_new_.empty()) {
        first_new_ = "kernel \"" + kernel.traits().name + "\", key " + kernel.key_text(key);
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

  void guard_begins() noexcept { live_guards_.fetch_add(1, std::memory_order_relaxed); }
  void guard_ends() noexcept { live_guards_.fetch_sub(1, std::memory_order_release); }
  /// A guard outlives the region: its thread may still launch into this pass, which then must not go away.
  bool has_live_guards() const noexcept { return live_guards_.load(std::memory_order_acquire) > 0; }

  /// Returns `kernel "k", key (1)` of the first new launch that all ranks should make, or an empty text. Call
  /// it after the region has returned.
  const std::string& first_new_text() const noexcept { return first_new_; }

 private:
  const bool watched_;
  const bool named_;
  const Namesakes namesakes_;
  const int rank_;
  std::atomic<bool> new_on_all_{false};
  std::atomic<bool> new_elsewhere_{false};
  std::atomic<bool> rejected_{false};
  std::atomic<int> live_guards_{0};
  std::mutex mutex_;
  std::string first_new_;
};

}  // namespace contextual::detail
