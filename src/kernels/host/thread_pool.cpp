#include "kernels/host/thread_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace contextual::kernels {

namespace {

thread_local bool inside_part = false;  // a job within a job would wait for itself

}  // namespace

ThreadPool& ThreadPool::shared() {
  static ThreadPool* const pool = std::unique_ptr<ThreadPool>(new ThreadPool).release();
  return *pool;
}

int ThreadPool::default_threads() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 16);
}

ThreadPool::ThreadPool() : owner_process_(getpid()) {}

void ThreadPool::run(int parts, const std::function<void(int)>& part) {
  // In a forked child the mutexes may be held by threads that are gone: nothing is locked there.
  const bool alone = parts <= 1 || inside_part || owner_process_ != getpid();
  std::unique_lock<std::mutex> job(job_mutex_, std::defer_lock);
  if (alone || !job.try_lock()) {
    for (int index = 0; index < parts; ++index) {
      part(index);
    }
    return;
  }
  grow(parts - 1);
  {
    const std::lock_guard lock(mutex_);
    part_ = &part;
    parts_ = parts;
    unfinished_ = parts;
    failure_ = nullptr;
    ++job_;
  }
  start_.notify_all();
  run_part(part, 0);
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return unfinished_ == 0; });
  part_ = nullptr;
  if (auto failure = std::exchange(failure_, nullptr)) {
    std::rethrow_exception(failure);
  }
}

void ThreadPool::grow(int workers) {
  while (static_cast<int>(threads_.size()) < workers) {
    const int worker = static_cast<int>(threads_.size()) + 1;
    threads_.emplace_back([this, worker] { work(worker); });
  }
}

void ThreadPool::work(int worker) {
  std::uint64_t seen = 0;
  for (;;) {
    const std::function<void(int)>* part = nullptr;
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return job_ != seen && part_ != nullptr; });
      seen = job_;
      part = worker < parts_ ? part_ : nullptr;
    }
    if (part != nullptr) {
      run_part(*part, worker);
    }
  }
}

void ThreadPool::run_part(const std::function<void(int)>& part, int index) noexcept {
  std::exception_ptr failure;
  inside_part = true;
  try {
    part(index);
  } catch (...) {
    failure = std::current_exception();
  }
  inside_part = false;
  const std::lock_guard lock(mutex_);
  if (failure && !failure_) {
    failure_ = failure;
  }
  if (--unfinished_ == 0) {
    end_.notify_one();
  }
}

}  // namespace contextual::kernels
