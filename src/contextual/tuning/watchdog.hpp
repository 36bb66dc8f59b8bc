#pragma once

/// \file
/// Watches threads that may block. A thread that is blocked for too long cannot throw, so another thread has
/// to act.

#include <contextual/phase.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace contextual::tuning {

/// A thread that acts when a watched thread stays in one section for longer than its limit, and again when it
/// is still there `grace` later. It starts with the first section, sleeps while there is none, and lives as
/// long as the tuner. Any number of threads may have sections. It looks a hundred times per limit and counts
/// at most four such ticks between two looks, so that the time in which the whole process was stopped hardly
/// counts. A child of fork gets a thread of its own. Thread-safe.
class Watchdog {
  struct Shared;

 public:
  /// What the watched thread does in a section.
  struct Place {
    Activity activity = Activity::region;
    Phase phase = Phase::walk;
    std::int64_t tuning_iteration = 0;
  };
  /// What to do about a blocked thread. They own what they need, since its section may end meanwhile. Each
  /// may be empty and must not throw.
  struct Actions {
    /// After the limit. Called by the watchdog's thread, which watches nothing meanwhile.
    std::function<void()> tell;
    /// `grace` later, if the section still goes on. Called by a thread of its own, which may wait; may end
    /// the process.
    std::function<void()> leave;
    std::function<void()> over{};  ///< the section has ended after all; called by its own thread
  };
  /// What a section of the same thread that is around this one does meanwhile.
  enum class Outer {
    pauses,   ///< it is not watched, because this one is
    goes_on,  ///< it is watched, too
  };
  /// How sections are watched. It must outlive them.
  struct Watch {
    Watchdog* watchdog = nullptr;
    std::chrono::milliseconds limit{};
    std::chrono::milliseconds grace{};
    /// Says what to do about a section. Called by the watchdog's thread once for each, while the section
    /// cannot end, nor another one begin. It must not wait except for memory, and must not throw.
    std::function<Actions(const Place& place, std::chrono::nanoseconds blocked_for)> bark;
    Outer outer = Outer::pauses;
  };

  Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  /// Waits for its thread, which ends at once; not while that tells, nor for a thread that leaves, and not in
  /// a child of fork that has no thread.
  ~Watchdog();

  /// Starts the thread, if it does not run yet. Throws std::system_error if there is none to be had.
  void start() { started(); }

  /// A time in which a thread is watched, entered and left by that thread. Cost: three short locks. Where
  /// there is no thread for the watchdog, nothing is watched.
  class Section {
   public:
    Section(const Watch& watch, const Place& place);
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;
    ~Section();

   private:
    friend struct Shared;
    void enter();
    void leave();

    const Watch& watch_;
    Place place_;
    std::shared_ptr<Shared> shared_;  ///< null: not watched
    Section* outer_;
    // What the watchdog knows of it, since it was entered.
    std::uint64_t number_ = 0;  ///< tells sections at one address apart
    bool counts_ = false;       ///< since the first tick that saw it
    std::chrono::nanoseconds inside_{0};
    bool barked_ = false;
    bool left_ = false;
    Actions actions_;
  };

 private:
  std::shared_ptr<Shared> started();

  std::shared_ptr<Shared> shared_;  ///< null before the first section
  /// A child of fork leaks the parent's: the child's next thread may have the same handle.
  std::unique_ptr<std::thread> thread_;
};

}  // namespace contextual::tuning
