#include "contextual/sync/mpi/exit_guard.hpp"

#include <contextual/deadline.hpp>
#include <contextual/detail/sync/blocked_process.hpp>

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <string>

namespace contextual::sync {

struct ExitGuard::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
};

ExitGuard::ExitGuard(const char* what, int exit_code, const detail::RunBounds& bounds)
    : shared_(std::make_unique<Shared>()) {
  const std::string last_words = "[contextual] " + std::string(what) + " did not return within deadline (" +
                                 std::to_string(bounds.deadline.count()) + " ms) plus grace (" +
                                 std::to_string(bounds.grace.count()) +
                                 " ms): other ranks are elsewhere or gone. The process ends with exit code " +
                                 std::to_string(exit_code) + "\n";
  thread_ = std::thread([&shared = *shared_, last_words, exit_code, bounds] {
    const auto over = [&shared] { return shared.over; };
    std::unique_lock lock(shared.mutex);
    const bool in_time = Deadline::after(bounds.deadline).wait(shared.changed, lock, over) ||
                         Deadline::after(bounds.grace).wait(shared.changed, lock, over);
    if (!in_time) {
      detail::tell_stderr(last_words);
      _exit(exit_code);
    }
  });
}

ExitGuard::~ExitGuard() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->over = true;
    shared_->changed.notify_one();
  }
  thread_.join();
}

}  // namespace contextual::sync
