#include "contextual/tuning/call_watch.hpp"

#include <contextual/detail/sync/running_time.hpp>

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <system_error>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// Outlives the watch where its thread has to be left alone.
struct CallWatch::Shared {
  explicit Shared(std::chrono::milliseconds limit) : running(limit) {}

  /// What is due for a section. The section may be gone when the watch comes to it.
  struct Due {
    const Section* section;
    std::uint64_t number;
    std::function<void()> act;
  };

  void watch();
  std::vector<Due> due(std::chrono::nanoseconds passed);
  bool goes_on(const Due& due) const;

  const pid_t process = getpid();
  std::mutex mutex;
  std::condition_variable wake;
  bool stop = false;
  bool acting = false;
  bool idle = false;              ///< the thread waits for a section, without ticks
  std::uint64_t last_number = 0;  ///< of a section
  std::vector<Section*> sections;
  detail::RunningTime<std::chrono::steady_clock> running;
};

void CallWatch::Shared::watch() {
  std::unique_lock lock(mutex);
  while (!stop) {
    if (sections.empty()) {
      idle = true;
      wake.wait(lock, [this] { return stop || !sections.empty(); });
      idle = false;
      running.look();  // what has passed until now is nobody's
    }
    if (wake.wait_for(lock, running.tick(), [this] { return stop; })) {
      return;
    }
    for (const Due& next : due(running.look())) {
      if (!goes_on(next)) {
        continue;
      }
      acting = true;
      lock.unlock();
      next.act();
      lock.lock();
      acting = false;
    }
  }
}

bool CallWatch::Shared::goes_on(const Due& due) const {
  return !stop && std::any_of(sections.begin(), sections.end(), [&](const Section* section) {
    return section == due.section && section->number_ == due.number;
  });
}

std::vector<CallWatch::Shared::Due> CallWatch::Shared::due(std::chrono::nanoseconds passed) {
  std::vector<Due> all;
  for (Section* section : sections) {
    const Call& call = section->call_;
    section->inside_ += section->counts_ ? passed : std::chrono::nanoseconds(0);
    section->counts_ = true;
    if (section->inside_ >= call.limit && !section->barked_) {
      section->barked_ = true;
      section->actions_ = call.bark(section->inside_);
      all.push_back({section, section->number_, section->actions_.tell});
    } else if (section->inside_ >= call.limit + call.grace && !section->left_) {
      section->left_ = true;
      all.push_back({section, section->number_, section->actions_.leave});
    }
  }
  std::erase_if(all, [](const Due& due) { return !due.act; });
  return all;
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
    number_ = ++shared_->last_number;
    shared_->sections.push_back(this);
    if (shared_->idle) {
      shared_->wake.notify_one();
    }
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
