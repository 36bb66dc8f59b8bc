#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace contextual::tuning {

/// Lets a tuner execute one `run` at a time. The wait is bounded, because a region may wait for a thread that
/// waits here.
class RunLock {
 public:
  /// Held by one thread while alive.
  class Holder {
   public:
    /// Throws Error if the calling thread holds the lock already (a `run` from a hook), or if another thread
    /// holds it for longer than `timeout`.
    Holder(RunLock& lock, const std::string& region, std::chrono::milliseconds timeout);
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder();

   private:
    RunLock& lock_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  std::thread::id owner_;  ///< no thread if the lock is free
};

}  // namespace contextual::tuning
