#pragma once

/// \file
/// What the threads of a region see while it is being tuned. Everything a launch reads is fixed for the
/// batch; what it writes goes to its thread's own log.

#include "contextual/policy/tuning_state.hpp"

#include <contextual/config.hpp>
#include <contextual/context_guard.hpp>
#include <contextual/detail/kernel_core.hpp>
#include <contextual/detail/launch_call.hpp>
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
#include <string>
#include <vector>

namespace contextual::detail {

/// A wrapped region's later call: was anything launched that is not locked in for it?
struct UsePass {
  std::atomic<bool> new_on_all{false};  ///< a kernel that every rank launches
  std::atomic<bool> new_elsewhere{false};

  void saw_new(Participation participation) noexcept {
    (participation == Participation::all ? new_on_all : new_elsewhere).store(true, std::memory_order_relaxed);
  }
};

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

/// A config that failed on this rank in the current batch.
struct LocalRejection {
  std::size_t config_id = 0;
  std::size_t batch_iteration = 0;
  std::string reason;
};

/// A tuning problem as this rank's launches see it. Stable in memory for the whole run.
struct ProblemSlot {
  ProblemSlot(std::size_t position, std::string problem_name, const Key& problem_key, std::size_t configs);

  // What every launch reads and writes comes first and together: a launch finds little of it in the nearest
  // cache when the driver has just run. What has no other comment is fixed once discovered.
  std::size_t index;  ///< among the run's slots on this rank
  std::string coupling;
  std::vector<policy::Cell> cells;  ///< by batch iteration, fixed during one; empty until joined
  std::unique_ptr<std::atomic<bool>[]> rejected;  ///< per config, agreed ones included
  std::atomic<std::int64_t> last_config{-1};
  bool has_prepare = false;
  /// Fixed during a batch: a rank may begin to launch what others have prepared before.
  std::vector<bool> prepared_here;
  Key key;

  // Fixed once discovered.
  std::string name;  ///< kernel, or coupling
  std::string key_text;
  Participation participation = Participation::all;
  std::size_t config_count;
  std::uint64_t space_digest = 0;
  std::optional<std::size_t> locked_config;  ///< by an earlier run
  std::vector<bool> pruned;
  std::uint64_t identity = 0;  ///< hash of name, key, participation and config space

  // Fixed during a batch; changed between batches by the thread of `run`.
  std::vector<std::shared_ptr<const KernelCore>>
      members;                             ///< one, or the coupled kernels seen; not on ranks without it
  std::optional<std::size_t> state_index;  ///< once joined
  std::optional<std::size_t> best_so_far;
  std::vector<bool> settled;   ///< per config: launched in a batch that settled well
  std::vector<bool> prepared;  ///< per config, on all ranks that launch it; only where `has_prepare`
  std::vector<LocalRejection> late_rejections;  ///< what could not be prepared here; for the next batch
  std::optional<std::size_t> published_choice;  ///< in the lock-in tables, as far as this run knows

  // Written by launches that fail.
  std::mutex mutex;
  std::vector<LocalRejection> rejections;  ///< of the current batch

  bool shared() const noexcept { return participation != Participation::local; }
};

/// (kernel, key) -> problem. Immutable during a batch, so that launches read it without a lock.
class LaunchMap {
 public:
  void rebuild(const std::deque<ProblemSlot>& slots);
  ProblemSlot* find(const KernelCore* core, const Key& key) const noexcept;

 private:
  struct Place {
    const KernelCore* core = nullptr;
    ProblemSlot* slot = nullptr;
  };
  static std::size_t place_hash(const KernelCore* core, const Key& key) noexcept;
  std::vector<Place> places_;
};

/// One `run` while it tunes.
class RunContext {
 public:
  RunContext(std::string region, std::uint32_t region_id, Timer& timer, std::size_t max_problems,
             bool always_tune);

  ThreadLog& add_thread(LaunchOrder order);  ///< called by guards, on any thread

  /// The problem of a launch; null when there are more than `max_problems`. Takes the lock only for
  /// problems that have not joined yet.
  ProblemSlot* find(const KernelCore& core, const Key& key, const PruneView& prune);

  // Between batches, on the thread of `run`.
  void begin_batch();  ///< forgets the last batch's records
  void rebuild_map();
  ProblemSlot& add_remote(std::string name, std::size_t config_count);  ///< launched on other ranks only

  std::deque<ProblemSlot>& slots() noexcept { return slots_; }
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
  void note(const std::string& warning);
  std::vector<std::string> take_notes();

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
  ProblemSlot* discover(const KernelCore& core, const Key& key, const PruneView& prune);
  ProblemSlot* find_listed(const std::string& name, const std::string& coupling, const Key& key,
                           std::uint64_t identity);
  void check_namesakes(const KernelCore& core) const;  ///< throws for a second living kernel of one name
  static bool is_member(const ProblemSlot& slot, const KernelCore& core);
  void join_member(ProblemSlot& slot, const KernelCore& core, const Key& key,
                   const std::vector<bool>& pruned);

  std::string region_;
  std::uint32_t region_id_;
  Timer& timer_;
  std::size_t max_problems_;
  bool always_tune_;
  LaunchMap map_;
  std::mutex mutex_;  ///< guards growing slots_, threads_ and the members of new slots
  std::deque<ProblemSlot> slots_;
  std::deque<ThreadLog> threads_;                           ///< the thread of `run` first
  std::vector<std::shared_ptr<const KernelCore>> retired_;  ///< destroyed kernels that the map still names
  std::atomic<std::uint64_t> untracked_launches_{0};
  std::atomic<int> live_guards_{0};
  std::exception_ptr failure_;
  std::vector<std::string> notes_;  ///< all of the run
  std::size_t notes_taken_ = 0;
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
