#pragma once

/// \file
/// Persistent threads, for kernels that take some microseconds, which is less than the start of a thread.

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace contextual::kernels {

/// Runs the parts of one job at a time. Idle threads sleep; they never spin. Thread-safe.
class ThreadPool {
 public:
  /// Returns the pool of this process. It is never destroyed: at exit its threads sleep, and in a forked
  /// child, where they do not exist, a destructor would wait for them for ever.
  static ThreadPool& shared();

  /// Returns the number of threads that this machine runs at once, from 1 to 16. Config spaces use it.
  static int default_threads();

  /// Calls `part(0)` to `part(parts - 1)` and returns when all have ended. Part 0 runs on the calling thread,
  /// the others on threads of the pool, which grows to `parts - 1` threads. If the pool is busy with another
  /// job, which may be the caller's, or in a forked child, all parts run on the calling thread, one after
  /// another.
  ///
  /// Rethrows the first exception of a part after all parts have ended; if they run one after another, that
  /// exception ends the job. Cost: some microseconds to wake the threads.
  void run(int parts, const std::function<void(int)>& part);

 private:
  ThreadPool();
  void work(int worker);
  void run_part(const std::function<void(int)>& part, int index) noexcept;
  void grow(int workers);

  std::mutex job_mutex_;  ///< held by the thread whose job is running
  std::mutex mutex_;      ///< guards the following members
  std::condition_variable start_;
  std::condition_variable end_;
  std::vector<std::jthread> threads_;
  const std::function<void(int)>* part_ = nullptr;
  int parts_ = 0;
  int unfinished_ = 0;
  std::uint64_t job_ = 0;
  std::exception_ptr failure_;
  long owner_process_;
};

}  // namespace contextual::kernels
