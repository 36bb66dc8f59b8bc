#include "contextual/tuning/run_lock.hpp"

#include <contextual/deadline.hpp>
#include <contextual/error.hpp>

namespace contextual::tuning {

RunLock::Holder::Holder(RunLock& lock, const std::string& region, std::chrono::milliseconds timeout)
    : lock_(lock) {
  std::unique_lock guard(lock.mutex_);
  if (lock.owner_ == std::this_thread::get_id()) {
    throw Error(
        "region \"" + region +
        "\": `run`, or the first call of a tuned function, was made from a hook or callback of the same "
        "tuner's or function's own: call it before or after");
  }
  const bool free =
      Deadline::after(timeout).wait(lock.freed_, guard, [&lock] { return lock.owner_ == std::thread::id(); });
  if (!free) {
    throw Error(
        "region \"" + region +
        "\": another thread still runs or tunes with the same tuner, or the same tuned function, after " +
        std::to_string(timeout.count()) +
        " ms. Use a tuner or a function of its own for each thread, or call the function once before the "
        "threads begin; a worker thread of the other region needs a ContextGuard to be part of it");
  }
  lock.owner_ = std::this_thread::get_id();
}

RunLock::Holder::~Holder() {
  {
    const std::lock_guard guard(lock_.mutex_);
    lock_.owner_ = std::thread::id();
  }
  lock_.freed_.notify_one();
}

}  // namespace contextual::tuning
