#pragma once

/// \file
/// A run of a region that uses what is locked in: did it launch anything that is not?

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/key.hpp>
#include <contextual/participation.hpp>

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace contextual::detail {

/// What becomes of a launch where another living kernel has the same name.
enum class Namesakes {
  are_refused,  ///< one of the two is a mistake
  are_of_ranks  ///< ranks are threads of this process, and each may have a kernel of that name
};

/// Namesakes in a process with ranks of that scope (Communicator::process_scope).
inline Namesakes namesakes_in(std::string_view process_scope) noexcept {
  return process_scope.empty() ? Namesakes::are_refused : Namesakes::are_of_ranks;
}

/// Written by all threads of the region.
class UsePass {
 public:
  /// What becomes of a launch that fails: it is the caller's matter, or it is told here and repeated with a
  /// fallback.
  enum class Failures { are_the_callers, are_watched };

  UsePass(Failures failures, Namesakes namesakes)
      : watched_(failures == Failures::are_watched), namesakes_(namesakes) {}

  bool watched() const noexcept { return watched_; }
  Namesakes namesakes() const noexcept { return namesakes_; }

  /// A launch without a choice that is there to stay.
  void saw_new(const KernelCore& kernel, const Key& key) noexcept {
    const bool on_all = kernel.traits().participation == Participation::all;
    (on_all ? new_on_all_ : new_elsewhere_).store(true, std::memory_order_relaxed);
    try {
      const std::lock_guard lock(mutex_);
      if (on_all && first_new_.empty()) {
        first_new_ = "kernel \"" + kernel.traits().name + "\", key " + kernel.key_text(key);
      }
    } catch (...) {  // no memory for the words
    }
  }
  /// A choice that cannot be launched any more.
  void saw_rejection() noexcept { rejected_.store(true, std::memory_order_relaxed); }

  /// Of a kernel that every rank launches.
  bool new_on_all() const noexcept { return new_on_all_.load(std::memory_order_relaxed); }
  /// Of a kernel that other ranks need not launch.
  bool new_elsewhere() const noexcept { return new_elsewhere_.load(std::memory_order_relaxed); }
  bool rejected() const noexcept { return rejected_.load(std::memory_order_relaxed); }

  void guard_begins() noexcept { live_guards_.fetch_add(1, std::memory_order_relaxed); }
  void guard_ends() noexcept { live_guards_.fetch_sub(1, std::memory_order_release); }
  /// A guard outlives the region: its thread may still launch into this pass, which then must not go away.
  bool has_live_guards() const noexcept { return live_guards_.load(std::memory_order_acquire) > 0; }

  /// The first new one that all ranks should launch, once the region has returned: `kernel "k", key (1)`.
  const std::string& first_new_text() const noexcept { return first_new_; }

 private:
  const bool watched_;
  const Namesakes namesakes_;
  std::atomic<bool> new_on_all_{false};
  std::atomic<bool> new_elsewhere_{false};
  std::atomic<bool> rejected_{false};
  std::atomic<int> live_guards_{0};
  std::mutex mutex_;
  std::string first_new_;
};

}  // namespace contextual::detail
