#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace contextual::tuning {

/// One `run` of a tuner at a time. The wait is bounded: a region may wait for a thread that waits here.
class RunLock {
 public:
  /// Held by one thread while alive.
  class Holder {
   public:
    /// Throws Error when the calling thread holds it already (a `run` from a hook), or when another one does
    /// for longer than `timeout`.
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
  std::thread::id owner_;  ///< none: free
};

}  // namespace contextual::tuning
