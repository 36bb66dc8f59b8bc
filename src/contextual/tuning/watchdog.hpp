#pragma once

/// \file
/// Watches the thread of `run`. A thread that is blocked for too long cannot throw, so another thread has to
/// act.

#include <contextual/phase.hpp>

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

namespace contextual::tuning {

/// A thread that acts when the watched thread stays in one section for longer than `limit`, and again when it
/// is still there `grace` later. The watchdog's thread looks a hundred times per `limit` and counts at most
/// four such ticks between two looks, so that the time in which the whole process was stopped hardly counts.
class Watchdog {
 public:
  /// What the watched thread does in a section.
  struct Place {
    Activity activity = Activity::region;
    Phase phase = Phase::walk;
    std::int64_t tuning_iteration = 0;
  };
  /// What to do about a blocked thread. The functions own what they need, since the run may end meanwhile.
  /// Both may be empty and must not throw. `leave` may end the process.
  struct Actions {
    std::function<void()> tell;   ///< called after `limit`
    std::function<void()> leave;  ///< called `grace` later, if the thread is still in the same section
  };
  /// Finds out what the run is doing. Called by the watchdog's thread at most once per section; the run does
  /// not end meanwhile. Must not throw, and must not wait except for memory.
  using Bark = std::function<Actions(const Place& place, std::chrono::nanoseconds blocked_for)>;

  Watchdog(std::chrono::milliseconds limit, std::chrono::milliseconds grace, Bark bark);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  /// Waits for the watchdog's thread, which ends at once, but does not wait for an action that is under way.
  /// In a forked child, where that thread does not exist, it waits for nothing.
  ~Watchdog();

  class Pause;

  /// A part of the run that is watched while the object lives. Made by the thread of `run`. Cost: some atomic
  /// stores. A section may contain another run, for example in a hook; while an inner section is watched, the
  /// outer one is not.
  class Section {
   public:
    Section(Watchdog& watchdog, const Place& place);
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;
    ~Section();

   private:
    friend Pause;
    void enter() noexcept;
    void leave() noexcept;

    Watchdog& watchdog_;
    Place place_;
    Section* outer_;
  };

  /// While it lives, the calling thread's section, if any, is not watched: something else watches the thread.
  class Pause {
   public:
    Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause();

   private:
    Section* outer_;
  };

 private:
  struct Shared;
  class Watch;

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
  pid_t process_;
};

}  // namespace contextual::tuning
