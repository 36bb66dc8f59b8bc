#pragma once

/// \file
/// Threads that stay, for kernels that take some microseconds: starting a thread costs more than that.

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
  /// The pool of this process. Never destroyed: at exit its threads sleep, and in a child after a fork, where
  /// they do not exist, a destructor would wait for them for ever.
  static ThreadPool& shared();

  /// The threads that this machine runs at once, at least 1, at most 16: what config spaces offer.
  static int default_threads();

  /// Calls `part(0)` to `part(parts - 1)` and returns when all have ended. Part 0 runs on the calling thread,
  /// the others on threads of the pool, which grows to `parts - 1` threads. All parts run on the calling
  /// thread, one after the other, if the pool is busy with another job (a part of it may be the caller) or
  /// this is the child of a fork. The first exception of a part is rethrown after all
  /// have ended; where the parts run one after the other it ends the job. Cost: some
  /// microseconds to wake.
  void run(int parts, const std::function<void(int)>& part);

 private:
  ThreadPool();
  void work(int worker);
  void run_part(const std::function<void(int)>& part, int index) noexcept;
  void grow(int workers);

  std::mutex job_mutex_;  ///< held by the thread whose job is running
  std::mutex mutex_;      ///< guards what follows
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
