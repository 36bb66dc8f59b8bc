#include "contextual/tuning/watchdog.hpp"

#include <contextual/detail/sync/running_time.hpp>

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <system_error>
#include <utility>
#include <vector>

namespace contextual::tuning {

namespace {

using Running = detail::RunningTime<std::chrono::steady_clock>;

/// Innermost on this thread.
thread_local Watchdog::Section* current_section = nullptr;

}  // namespace

/// Outlives the watchdog where its thread has to be left alone.
struct Watchdog::Shared {
  /// What is due for a section. The section may be gone when the watchdog comes to it.
  struct Due {
    const Section* section;
    std::uint64_t number;
    std::function<void()> act;
  };

  void run();
  void sleep(std::unique_lock<std::mutex>& lock);
  std::vector<Due> due(std::chrono::nanoseconds passed);
  bool goes_on(const Due& due) const;

  const pid_t process = getpid();
  std::mutex mutex;
  std::condition_variable wake;
  bool stop = false;
  bool acting = false;
  bool idle = false;              ///< the thread waits for a section, without ticks
  bool hurry = false;             ///< the tick has become shorter
  std::uint64_t last_number = 0;  ///< of a section
  std::vector<Section*> sections;
  Running running{std::chrono::hours(1)};  ///< with the tick of the section that has the shortest limit
};

void Watchdog::Shared::run() {
  std::unique_lock lock(mutex);
  while (!stop) {
    sleep(lock);
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

/// For a tick or, where a whole tick has gone by without a section, until there is one: short sections in a
/// row need not wake the thread each time.
void Watchdog::Shared::sleep(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t seen = last_number;
  hurry = false;
  wake.wait_for(lock, running.tick(), [this] { return stop || hurry; });
  if (!stop && sections.empty() && last_number == seen) {
    idle = true;
    wake.wait(lock, [&] { return stop || last_number != seen; });
    idle = false;
  }
}

bool Watchdog::Shared::goes_on(const Due& due) const {
  return !stop && std::any_of(sections.begin(), sections.end(), [&](const Section* section) {
    return section == due.section && section->number_ == due.number;
  });
}

std::vector<Watchdog::Shared::Due> Watchdog::Shared::due(std::chrono::nanoseconds passed) {
  std::vector<Due> all;
  for (Section* section : sections) {
    const Watch& watch = section->watch_;
    section->inside_ += section->counts_ ? passed : std::chrono::nanoseconds(0);
    section->counts_ = true;
    if (section->inside_ >= watch.limit && !section->barked_) {
      section->barked_ = true;
      section->actions_ = watch.bark(section->place_, section->inside_);
      all.push_back({section, section->number_, section->actions_.tell});
    } else if (section->barked_ && section->inside_ - watch.limit >= watch.grace && !section->left_) {
      section->left_ = true;
      all.push_back({section, section->number_, section->actions_.leave});
    }
  }
  std::erase_if(all, [](const Due& due) { return !due.act; });
  return all;
}

Watchdog::~Watchdog() {
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

std::shared_ptr<Watchdog::Shared> Watchdog::started() {
  const std::lock_guard lock(start_);
  if (!shared_ || shared_->process != getpid()) {
    auto shared = std::make_shared<Shared>();
    std::thread thread([shared] { shared->run(); });
    if (thread_.joinable()) {
      thread_.detach();  // it is the parent's
    }
    thread_ = std::move(thread);
    shared_ = std::move(shared);
  }
  return shared_;
}

Watchdog::Section::Section(const Watch& watch, const Place& place)
    : watch_(watch), place_(place), outer_(current_section) {
  try {
    shared_ = watch.watchdog->started();
  } catch (const std::system_error&) {
    return;  // no thread to be had now; the next section tries again
  }
  if (outer_ != nullptr && watch.outer == Outer::pauses) {
    outer_->leave();
  }
  enter();
  current_section = this;
}

Watchdog::Section::~Section() {
  if (!shared_) {
    return;
  }
  leave();
  current_section = outer_;
  if (outer_ != nullptr && watch_.outer == Outer::pauses) {
    outer_->enter();
  }
  if (actions_.over && shared_->process == getpid()) {
    actions_.over();
  }
}

/// Its time begins anew.
void Watchdog::Section::enter() {
  if (shared_->process != getpid()) {
    return;
  }
  const std::lock_guard lock(shared_->mutex);
  number_ = ++shared_->last_number;
  counts_ = barked_ = left_ = false;
  inside_ = std::chrono::nanoseconds(0);
  shared_->sections.push_back(this);
  const Running running(watch_.limit);
  if (shared_->idle || running.tick() < shared_->running.tick()) {
    shared_->running = running;
    shared_->hurry = true;
    shared_->wake.notify_one();
  }
}

void Watchdog::Section::leave() {
  if (shared_->process == getpid()) {
    const std::lock_guard lock(shared_->mutex);
    std::erase(shared_->sections, this);
  }
}

}  // namespace contextual::tuning
