#include "contextual/tuning/call_watch.hpp"

#include <contextual/detail/sync/running_time.hpp>

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <system_error>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// Outlives the watch where its thread has to be left alone.
struct CallWatch::Shared {
  explicit Shared(std::chrono::milliseconds limit) : running(limit) {}

  void watch();
  /// What is due now. Under the lock, so that no section ends meanwhile.
  std::vector<std::function<void()>> due(std::chrono::nanoseconds passed);

  const pid_t process = getpid();
  std::mutex mutex;
  std::condition_variable wake;
  bool stop = false;
  bool acting = false;
  std::vector<Section*> sections;
  detail::RunningTime<std::chrono::steady_clock> running;
};

void CallWatch::Shared::watch() {
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, running.tick(), [this] { return stop; })) {
    const auto actions = due(running.look());
    if (actions.empty()) {
      continue;
    }
    acting = true;
    lock.unlock();
    for (const auto& act : actions) {
      act();
    }
    lock.lock();
    acting = false;
  }
}

std::vector<std::function<void()>> CallWatch::Shared::due(std::chrono::nanoseconds passed) {
  std::vector<std::function<void()>> actions;
  for (Section* section : sections) {
    const Call& call = section->call_;
    section->inside_ += section->counts_ ? passed : std::chrono::nanoseconds(0);
    section->counts_ = true;
    if (section->inside_ >= call.limit && !section->barked_) {
      section->barked_ = true;
      section->actions_ = call.bark(section->inside_);
      actions.push_back(section->actions_.tell);
    } else if (section->inside_ >= call.limit + call.grace && !section->left_) {
      section->left_ = true;
      actions.push_back(section->actions_.leave);
    }
  }
  std::erase_if(actions, [](const auto& action) { return !action; });
  return actions;
}

CallWatch::~CallWatch() {
  if (!shared_) {
    return;
  }
  bool leave_alone = shared_->process != getpid();
  if (!leave_alone) {
    const std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
    leave_alone = shared_->acting;
  }
  if (leave_alone) {
    thread_.detach();
    return;
  }
  shared_->wake.notify_all();
  thread_.join();
}

std::shared_ptr<CallWatch::Shared> CallWatch::started(std::chrono::milliseconds limit) {
  try {
    std::call_once(start_, [&] {
      auto shared = std::make_shared<Shared>(limit);
      thread_ = std::thread([shared] { shared->watch(); });
      shared_ = std::move(shared);
    });
  } catch (const std::system_error&) {
    return nullptr;  // no thread to be had now; the next call tries again
  }
  return shared_->process == getpid() ? shared_ : nullptr;
}

CallWatch::Section::Section(CallWatch& watch, const Call& call)
    : call_(call), shared_(watch.started(call.limit)) {
  if (shared_) {
    const std::lock_guard lock(shared_->mutex);
    shared_->sections.push_back(this);
  }
}

CallWatch::Section::~Section() {
  if (!shared_ || shared_->process != getpid()) {
    return;
  }
  {
    const std::lock_guard lock(shared_->mutex);
    std::erase(shared_->sections, this);
  }
  if (actions_.over) {
    actions_.over();
  }
}

}  // namespace contextual::tuning
