#pragma once

/// \file
/// Looks after calls of regions that have no tuning run to look after them.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace contextual::tuning {

/// A thread that acts when a call takes longer than its limit, and again when it still goes on `grace` later.
/// It starts with the first call, sleeps while there is none, and lives as long as the tuner. Any number of
/// threads may make calls. Time is counted as in Watchdog (watchdog.hpp), in ticks of at most half a second.
class CallWatch {
  struct Shared;

 public:
  /// What to do about a call. They own what they need, since the call may end meanwhile. Each may be empty
  /// and must not throw.
  struct Actions {
    std::function<void()> tell;   ///< after the limit
    std::function<void()> leave;  ///< `grace` later, if the call still goes on; may end the process
    std::function<void()> over;   ///< the call has ended after all; called by its own thread
  };
  /// What is watched. It must outlive its section.
  struct Call {
    std::chrono::milliseconds limit{};
    std::chrono::milliseconds grace{};
    /// Says what to do about the call. Called by the watch's thread once a section, while the section cannot
    /// end; it must not wait for another thread that the call may block, and must not throw.
    std::function<Actions(std::chrono::nanoseconds blocked_for)> bark;
  };

  CallWatch() = default;
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;
  /// Waits for its thread, which notices at once; not while it acts, and not in a child of fork, which has no
  /// such thread.
  ~CallWatch();

  /// Entered and left by the thread that makes the call. Cost: two short locks. Nothing is watched in a child
  /// of fork, nor where there is no thread to be had.
  class Section {
   public:
    Section(CallWatch& watch, const Call& call);
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;
    ~Section();

    bool watched() const noexcept { return shared_ != nullptr; }

   private:
    friend struct Shared;
    const Call& call_;
    std::shared_ptr<Shared> shared_;  ///< null: not watched
    std::uint64_t number_ = 0;        ///< tells sections at one address apart
    bool counts_ = false;             ///< since the first tick that saw it
    std::chrono::nanoseconds inside_{0};
    bool barked_ = false;
    bool left_ = false;
    Actions actions_;
  };

 private:
  std::shared_ptr<Shared> started(std::chrono::milliseconds limit);

  std::once_flag start_;
  std::shared_ptr<Shared> shared_;  ///< null before the first call
  std::thread thread_;
};

}  // namespace contextual::tuning
