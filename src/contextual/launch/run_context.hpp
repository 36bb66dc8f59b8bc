#pragma once

/// \file
/// What the threads of a region see while it is being tuned. Everything a launch reads is fixed for the
/// batch; what it writes goes to its thread's own log.

#include "contextual/launch/launch_map.hpp"
#include "contextual/launch/problem_index.hpp"
#include "contextual/launch/problem_slot.hpp"
#include "contextual/launch/run_notes.hpp"
#include "contextual/launch/use_pass.hpp"
#include "contextual/policy/tuning_state.hpp"

#include <contextual/config.hpp>
#include <contextual/context_guard.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/launch/launch_call.hpp>
#include <contextual/error.hpp>
#include <contextual/key.hpp>
#include <contextual/participation.hpp>
#include <contextual/timer.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace contextual::detail {

struct LaunchRecord {
  ProblemSlot* slot = nullptr;
  std::uint32_t config_id = 0;
  std::uint32_t batch_iteration = 0;
  bool fallback = false;  ///< not the config that was due
  bool late = false;      ///< first seen here in this batch, before the due config could be prepared here
  LaunchNote note;
};

inline constexpr std::uint64_t launch_under_way = 1;

struct ThreadLog {
  ThreadLog(RunContext& owner, LaunchOrder launch_order) : run(&owner), order(launch_order) {}
  RunContext* run;
  LaunchOrder order;
  std::vector<LaunchRecord> records;  ///< of the current batch, in launch order

  /// For the watchdog: the launch that is under way, or was the last one. One word, so that what is read
  /// belongs together: the slot's index from 1 in the upper half, then the config id, and in the lowest
  /// bit whether it is under way; 0: none.
  std::atomic<std::uint64_t> current{0};
};

/// What a thread of the region launches, or has launched last.
struct CurrentLaunch {
  std::string kernel;
  std::string key;
  std::size_t config_id = 0;
  Config config;
  bool under_way = false;
};

/// Which choices of earlier runs a run takes over.
enum class Reuse {
  nothing,           ///< all are tuned again
  lasting,           ///< a provisional choice is tuned again
  lasting_and_kept,  ///< a provisional choice that has been tuned again often enough is taken over as well
};

/// One `run` while it tunes.
class RunContext {
 public:
  RunContext(std::string region, std::uint32_t region_id, Timer& timer, std::size_t max_problems, Reuse reuse,
             Namesakes namesakes);

  ThreadLog& add_thread(LaunchOrder order);  ///< called by guards, on any thread

  /// The problem of a launch; null when there are more than `max_problems`. Constant time. Takes the lock
  /// only for problems that have not joined yet; beyond `max_problems` it counts the launch and takes none.
  ProblemSlot* find(const KernelCore& core, const Key& key, const KeepView& keep);

  // Between batches, on the thread of `run`.
  void begin_batch();  ///< forgets what launches have written in the last batch
  void rebuild_map();
  ProblemSlot& add_remote(const Problem& problem);  ///< launched on other ranks only
  ProblemSlot* find(const ProblemName& name) const { return index_.find(name); }  ///< null: not known here

  std::deque<ProblemSlot>& slots() noexcept { return slots_; }
  const std::deque<ProblemSlot>& slots() const noexcept { return slots_; }
  std::deque<ThreadLog>& threads() noexcept { return threads_; }
  const std::string& region() const noexcept { return region_; }
  std::uint32_t region_id() const noexcept { return region_id_; }
  Timer& timer() noexcept { return timer_; }
  std::uint64_t untracked_launches() const noexcept {
    return untracked_launches_.load(std::memory_order_relaxed);
  }

  void guard_begins() noexcept { live_guards_.fetch_add(1, std::memory_order_relaxed); }
  void guard_ends() noexcept { live_guards_.fetch_sub(1, std::memory_order_release); }
  /// A guard outlives the region: its thread may still launch into this context, which then must not go away.
  bool has_live_guards() const noexcept { return live_guards_.load(std::memory_order_acquire) > 0; }

  /// Ends the run even if the region catches what the launch throws. The first one counts.
  void fail(std::exception_ptr failure);
  std::exception_ptr failure();  ///< null: none

  /// A warning for the log, told after the batch; the same words once. Thread-safe.
  void note(const std::string& warning) { notes_.add(warning); }
  std::vector<std::string> take_notes() { return notes_.take(); }

  /// Launches of this batch that can have broken the device: see DeviceError::suspects.
  /// With a thread's log its launches, and those that are under way or were last on other threads: for that
  /// thread, while others launch. Without, all: for the thread of `run`, when the region has returned.
  std::vector<DeviceError::Suspect> suspects(const ThreadLog* own = nullptr);
  /// What was launched in this batch is known to do the device no harm.
  void mark_settled();

  /// A launch that is under way on some thread, else the last one of the thread of `run`; empty: none yet.
  /// Thread-safe.
  std::optional<CurrentLaunch> current_launch();

  /// Set before each run of the region.
  std::atomic<std::int64_t> tuning_iteration{0};
  std::uint32_t batch_iteration = 0;

 private:
  ProblemSlot* discover(const KernelCore& core, const Key& key, const KeepView& keep);
  ProblemSlot* count_untracked() noexcept;
  ProblemSlot& list(const Problem& problem);
  void check_namesakes(const KernelCore& core);  ///< throws for a second living kernel of one name
  /// What an earlier run has chosen, where this run takes it over.
  std::optional<std::size_t> reusable_choice(const KernelCore& core, const Key& key) const;
  void join_member(ProblemSlot& slot, const KernelCore& core, const std::vector<bool>& left_out);

  std::string region_;
  std::uint32_t region_id_;
  Timer& timer_;
  std::size_t max_problems_;
  Reuse reuse_;
  Namesakes namesakes_;
  LaunchMap map_;     ///< fixed during a batch: launches read it without the lock
  std::mutex mutex_;  ///< guards what grows during a batch: from here to `retired_`
  std::deque<ProblemSlot> slots_;
  ProblemIndex index_;  ///< of slots_; no launch adds to it once `full_`
  LaunchMap fresh_;     ///< what launches of this batch have added, and the map does not have yet
  std::unordered_map<std::string, std::shared_ptr<const KernelCore>> launched_;  ///< by name: the latest one
  std::deque<ThreadLog> threads_;                           ///< the thread of `run` first
  std::vector<std::shared_ptr<const KernelCore>> retired_;  ///< destroyed kernels that the map still names
  std::atomic<bool> full_{false};                           ///< there are `max_problems` or more
  std::atomic<std::uint64_t> untracked_launches_{0};
  std::atomic<int> live_guards_{0};
  std::set<std::pair<std::size_t, std::size_t>> settled_;  ///< slot and config: known to do no harm
  std::exception_ptr failure_;
  RunNotes notes_;
};

/// "It can be of kernel ..., or of ...": what a DeviceError says of them.
std::string suspects_text(const std::vector<DeviceError::Suspect>& suspects);

/// Makes a run's context the calling thread's, and restores what was there.
class ThreadStateScope {
 public:
  explicit ThreadStateScope(const ThreadState& state) : saved_(thread_state()) { thread_state() = state; }
  ThreadStateScope(const ThreadStateScope&) = delete;
  ThreadStateScope& operator=(const ThreadStateScope&) = delete;
  ~ThreadStateScope() { thread_state() = saved_; }

 private:
  ThreadState saved_;
};

}  // namespace contextual::detail
