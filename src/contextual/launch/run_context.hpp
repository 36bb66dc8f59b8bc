#pragma once

/// \file
/// The state that the threads of a region share while it is being tuned. What a launch reads is fixed during
/// a batch; what it writes goes to the log of its own thread.

#include "contextual/launch/launch_map.hpp"
#include "contextual/launch/made_ready.hpp"
#include "contextual/launch/problem_index.hpp"
#include "contextual/launch/problem_slot.hpp"
#include "contextual/launch/thread_log.hpp"
#include "contextual/launch/use_pass.hpp"
#include "contextual/policy/tuning_state.hpp"

#include <contextual/config.hpp>
#include <contextual/context_guard.hpp>
#include <contextual/detail/launch/erased_engine.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/error.hpp>
#include <contextual/key.hpp>
#include <contextual/participation.hpp>
#include <contextual/search.hpp>
#include <contextual/timer.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace contextual::detail {

/// Warnings of a run's launches for the log. Keeps each until it is taken. A text that was added before is
/// ignored. Thread-safe.
class RunNotes {
 public:
  void add(const std::string& warning) {
    const std::lock_guard lock(mutex_);
    if (known_.insert(warning).second) {
      waiting_.push_back(warning);
    }
  }

  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

 private:
  std::mutex mutex_;
  std::unordered_set<std::string> known_;
  std::vector<std::string> waiting_;
};

/// What a run asks about the arguments of a launch.
struct LaunchArguments {
  const ErasedEngine* engine = nullptr;  ///< null: every config is a candidate
  void** addresses = nullptr;

  bool asks_keep() const { return engine != nullptr && engine->asks_keep(); }
  bool keep(std::size_t config_id) const { return !asks_keep() || engine->keeps(config_id, addresses); }
  /// Returns all words of the launch's key, also of a long one.
  std::vector<KeyWord> words_of(const Key& key) const;
};

/// How a run judges what is launched.
struct LaunchRules {
  /// What a lower one has chosen is tuned again. With one, a wrong result is blamed on the assignment of
  /// configs instead of on a config.
  SearchLevel search = SearchLevel::off;
  int rank = -1;  ///< which of several ranks this is
  /// An exception of any launcher rejects its config, as one of a tuned function does in every run.
  bool exceptions_reject = false;
  /// Which exceptions mean that memory has run out, beside std::bad_alloc; may be empty.
  std::function<bool(const std::exception_ptr&)> is_out_of_memory{};
};

/// A config that failed on this rank in the current batch.
struct RejectedLaunch {
  std::string kernel;
  std::string key;
  Config config;
  LocalRejection rejection;
};

/// Which choices of earlier runs a run reuses.
enum class Reuse {
  nothing,           ///< none: all are tuned again
  lasting,           ///< lasting choices; provisional ones are tuned again
  lasting_and_kept,  ///< lasting choices, and provisional ones that were tuned again often enough
};

/// One `run` while it tunes.
class RunContext {
 public:
  static constexpr std::size_t most_problems = 4096;

  RunContext(std::string region, std::uint32_t region_id, Timer& timer, Reuse reuse, Namesakes namesakes);

  ThreadLog& add_thread(LaunchOrder order);  ///< called by guards, on any thread

  /// Returns the problem of a launch in constant time, or null if it is beyond `most_problems`; the launch is
  /// counted then. Takes the lock only for problems that have not joined yet.
  ProblemSlot* find(const KernelCore& core, const Key& key, const LaunchArguments& arguments);

  struct FirstChoice {
    std::size_t config_id = 0;
    bool of_earlier_run = false;
  };
  /// Returns what a problem uses that the ranks have not agreed on yet: the choice of an earlier run, else
  /// the first config that could be loaded, or the default if that is left out.
  FirstChoice first_choice(const ProblemSlot& slot, std::size_t first_loaded);

  // Between batches, on the thread of `run`.
  void begin_batch();  ///< forgets what launches have written in the last batch
  void rebuild_map();
  ProblemSlot& add_remote(const Problem& problem);  ///< adds a problem that only other ranks launch
  ProblemSlot* find(const ProblemName& name) const { return index_.find(name); }  ///< null if not known here
  /// Returns the alternative of this word, see Problem::scope; null if it is 0, or not known here.
  const LaunchingAlternative* alternative(std::uint64_t word) const;
  /// Returns the same, or the config of a function that is tuned as a kernel.
  const LaunchingAlternative* launching(std::uint64_t word) const;

  std::deque<ProblemSlot>& slots() noexcept { return slots_; }
  const std::deque<ProblemSlot>& slots() const noexcept { return slots_; }
  std::deque<ThreadLog>& threads() noexcept { return threads_; }
  const std::string& region() const noexcept { return region_; }
  std::uint32_t region_id() const noexcept { return region_id_; }
  Timer& timer() const noexcept { return *timer_; }
  void set_timer(Timer& timer) noexcept { timer_ = &timer; }  ///< before the first batch
  std::uint64_t untracked_launches() const noexcept {
    return untracked_launches_.load(std::memory_order_relaxed);
  }

  /// Call it before the first batch.
  void go_by(LaunchRules rules) { rules_ = std::move(rules); }
  /// Says on stderr, once for each kernel, what was rejected on this one of several ranks. The others learn
  /// of it only after the batch, which a program whose ranks now launch different configs may not survive.
  void tell_of_fallback(const std::string& kernel, const std::string& rejected);

  const LaunchRules& rules() const noexcept { return rules_; }
  bool is_out_of_memory(const std::exception_ptr& thrown) const;

  /// Warns that the launch under way on this thread, whose times count, launches this kernel. Once for each
  /// problem; not of what is a choice point, whose kernels are tuned before it.
  void note_inner_launch(const ThreadLog& log, const KernelCore& inner);
  /// A launch of this tuning iteration does not use the planned config: that was not prepared.
  void note_untuned_launch();
  /// Returns true if there was such a launch in this iteration of the batch.
  bool has_untuned_launch(std::uint32_t iteration);
  /// Forgets that launches of configs fail which failed in the batch beside their neighbours only.
  void forgive_assignments();

  void guard_begins() noexcept { live_guards_.fetch_add(1, std::memory_order_relaxed); }
  void guard_ends() noexcept { live_guards_.fetch_sub(1, std::memory_order_release); }
  /// Returns true if a guard exists. After the region has returned, its thread may still launch into this
  /// context, which must then not be destroyed.
  bool has_live_guards() const noexcept { return live_guards_.load(std::memory_order_acquire) > 0; }

  /// A launcher has thrown this. `launch` names kernel, key and config. Thread-safe.
  void note_launcher_threw(const std::exception_ptr& thrown, const std::string& launch);
  /// Returns the launch whose launcher has thrown this, the inner one of two; empty if none has. Thread-safe.
  std::string launch_that_threw(const std::exception_ptr& thrown);

  /// Makes the run end with this exception even if the region catches it. The first call counts.
  void fail(std::exception_ptr failure);
  std::exception_ptr failure();  ///< null if there is none

  /// Adds a warning, which goes to the log after the batch. The same text is logged once. Thread-safe.
  void note(const std::string& warning) { notes_.add(warning); }
  std::vector<std::string> take_notes() { return notes_.take(); }
  /// The same of what stderr is told at once, because the launch that follows may end the process.
  void say(const std::string& warning);
  std::vector<std::string> take_said() { return said_.take(); }

  /// Returns the launches of this batch that may have broken the device, see DeviceError::suspects. A
  /// launching thread passes its log; it gets its own launches and the current or last one of every other
  /// thread, because those may still launch. The thread of `run`, after the region has returned, passes null
  /// and gets all.
  std::vector<DeviceError::Suspect> suspects(const ThreadLog* own = nullptr);
  /// Notes that the configs launched in this batch did not break the device.
  void mark_settled();

  MadeReady& made_ready() noexcept { return made_ready_; }
  /// Returns what is being made ready, else a launch that is under way on some thread, else the last one of
  /// the thread of `run`, or nothing before the first launch. Thread-safe.
  std::optional<CurrentLaunch> current_launch();

  /// Returns what launches of this batch have rejected. Thread-safe.
  std::vector<RejectedLaunch> rejections();

  /// Fixes what launches of the problem go by from now on. Between runs of the region.
  void set_view(ProblemSlot& slot, BatchView view);
  /// Returns the config that every tuning problem uses in this tuning iteration. Thread-safe.
  std::vector<CurrentLaunch> assignment();

  // Set before each run of the region.
  std::atomic<std::int64_t> tuning_iteration{0};
  std::atomic<std::uint32_t> batch_iteration{0};

 private:
  ProblemSlot* discover(const KernelCore& core, const Key& key, const LaunchArguments& arguments);
  ProblemSlot* count_untracked() noexcept;
  ProblemSlot& list(const Problem& problem, bool may_launch_others);
  /// A function's first launch in the run has launched a kernel.
  void make_choice_point(ProblemSlot& function);
  void check_namesakes(const KernelCore& core);  ///< throws if another living kernel has the same name
  /// Returns the choice of an earlier run if this run reuses it.
  std::optional<std::size_t> reusable_choice(const KernelCore& core, const Problem& problem) const;
  void join_member(ProblemSlot& slot, const KernelCore& core, const std::vector<bool>& left_out);
  /// Whether a problem may have been launched in this run before.
  enum class Seen { now_first, before };
  static void leave_out(ProblemSlot& slot, const std::vector<bool>& left_out, Seen seen);

  std::string region_;
  std::uint32_t region_id_;
  Timer* timer_;
  MadeReady made_ready_{};
  Reuse reuse_;
  LaunchRules rules_;
  Namesakes namesakes_;
  LaunchMap map_;     ///< fixed during a batch: launches read it without the lock
  std::mutex mutex_;  ///< guards what grows during a batch: from here to `retired_`
  std::deque<ProblemSlot> slots_;
  ProblemIndex index_;  ///< of slots_; no launch adds to it once `full_` is set
  LaunchMap fresh_;     ///< entries that launches of this batch have added and `map_` does not have yet
  std::unordered_map<std::uint64_t, LaunchingAlternative>
      alternatives_;  ///< by scope, of the choice points and functions so far
  std::unordered_map<std::string, std::shared_ptr<const KernelCore>> launched_;  ///< by name: the latest one
  std::deque<ThreadLog> threads_;                           ///< the thread of `run` first
  std::vector<std::shared_ptr<const KernelCore>> retired_;  ///< destroyed kernels that the map still names
  std::set<std::uint32_t> untuned_;  ///< iterations of the batch with launches that are not as planned
  std::atomic<bool> full_{false};    ///< true once there are `most_problems`
  std::atomic<std::uint64_t> untracked_launches_{0};
  std::atomic<int> live_guards_{0};
  std::set<std::pair<std::size_t, std::size_t>> settled_;  ///< slot and config: known to do no harm
  std::exception_ptr failure_;
  std::set<std::string> told_of_fallback_;                     ///< kernels
  std::pair<std::exception_ptr, std::string> launcher_threw_;  ///< the latest, and its launch
  RunNotes notes_;
  RunNotes said_;
};

/// Returns the sentence of a DeviceError's message about its suspects.
std::string suspects_text(const std::vector<DeviceError::Suspect>& suspects);

}  // namespace contextual::detail
