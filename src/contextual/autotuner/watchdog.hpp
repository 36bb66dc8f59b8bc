#pragma once

/// \file
/// Looks after the thread of `run`: what is blocked for too long cannot throw, so another thread has to say
/// so.

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

namespace contextual::autotuner {

/// A thread that calls `bark`, once a section, when the watched thread stays in one section for longer than
/// `limit`. Time is counted in ticks of the watchdog's own thread, so a process that was stopped as a whole
/// is not blamed for it.
class Watchdog {
 public:
  /// What is being done, in texts that live for ever.
  struct Place {
    const char* activity = "";
    const char* phase = "";
    std::int64_t tuning_iteration = 0;
  };
  using Bark = std::function<void(const Place& place, std::chrono::nanoseconds blocked_for)>;

  /// `bark` is called by the watchdog's thread; it may end the process, and must not throw.
  Watchdog(std::chrono::milliseconds limit, Bark bark);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  /// Waits for its thread, which notices at once; not while it barks, and not in a child of fork, which has
  /// no such thread.
  ~Watchdog();

  /// Entered and left by the thread of `run`; two atomic increments. Sections do not nest.
  class Section {
   public:
    Section(Watchdog& watchdog, const Place& place);
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;
    ~Section();

   private:
    Watchdog& watchdog_;
  };

 private:
  struct Shared;
  static void watch(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
  pid_t process_;
};

/// A debugger or tracer is attached to this process, which may have good reasons to stand still. Linux.
bool being_traced() noexcept;

}  // namespace contextual::autotuner
