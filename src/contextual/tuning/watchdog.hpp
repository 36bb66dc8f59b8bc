#pragma once

/// \file
/// Looks after the thread of `run`: what is blocked for too long cannot throw, so another thread has to say
/// so.

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
/// is still there `grace` later. Time is counted in ticks of the watchdog's own thread, a hundred to the
/// limit, and four at most for one look: a process that was stopped as a whole is not blamed for it.
class Watchdog {
 public:
  struct Place {
    Activity activity = Activity::region;
    Phase phase = Phase::walk;
    std::int64_t tuning_iteration = 0;
  };
  /// What to do about a blocked thread; owns what it needs, since the run may end meanwhile. Both may be
  /// empty and must not throw; `leave` may end the process.
  struct Actions {
    std::function<void()> tell;   ///< after `limit`
    std::function<void()> leave;  ///< `grace` later, if the thread is still where it was
  };
  /// Looks at what the run is doing. Called by the watchdog's thread once a section, while the run cannot go
  /// away; waits for nothing but memory. Must not throw.
  using Bark = std::function<Actions(const Place& place, std::chrono::nanoseconds blocked_for)>;

  Watchdog(std::chrono::milliseconds limit, std::chrono::milliseconds grace, Bark bark);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  /// Waits for its thread, which notices at once; not while it barks, and not in a child of fork, which has
  /// no such thread.
  ~Watchdog();

  class Pause;

  /// Entered and left by the thread of `run`; some atomic stores. In a section of one run another run may
  /// take place, as in a hook: the outer section is left for as long, because the inner ones are watched.
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

  /// The section that the calling thread is in, if any, is left for as long: something else watches the
  /// thread.
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

/// A debugger or tracer is attached to this process, which may have good reasons to stand still. Linux.
bool being_traced() noexcept;

}  // namespace contextual::tuning
