#include "contextual/tuning/watchdog.hpp"

#include <contextual/detail/sync/running_time.hpp>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace contextual::tuning {

namespace {

using Running = detail::RunningTime<std::chrono::steady_clock>;

/// Innermost on this thread.
thread_local Watchdog::Section* current_section = nullptr;

/// While a watchdog starts its thread. One for all, for the sake of fork: while another thread held the lock,
/// it would leave it locked in the child for ever.
std::mutex start_mutex;
/// How many forks lead to this process; getpid would be a system call in every section.
std::atomic<int> process_number{0};
[[maybe_unused]] const int fork_handlers =
    pthread_atfork([] { start_mutex.lock(); }, [] { start_mutex.unlock(); },
                   [] {
                     ++process_number;
                     start_mutex.unlock();
                   });

}  // namespace

/// Outlives the watchdog where its thread has to be left alone.
struct Watchdog::Shared : std::enable_shared_from_this<Shared> {
  enum class By { this_thread, own_thread };
  /// What is due for a section. The section may be gone when the watchdog comes to it.
  struct Due {
    const Section* section;
    std::uint64_t number;
    std::function<void()> act;
    By by;
  };

  void run();
  void sleep(std::unique_lock<std::mutex>& lock);
  std::vector<Due> due(std::chrono::nanoseconds passed);
  void set_tick();
  bool goes_on(const Due& due) const;
  void act(const Due& due, std::unique_lock<std::mutex>& lock);
  bool act_on_own_thread(const Due& due);

  bool of_this_process() const noexcept { return process == process_number.load(std::memory_order_relaxed); }

  const int process = process_number;
  std::mutex mutex;
  std::condition_variable wake;
  bool stop = false;
  bool acting = false;            ///< on the watchdog's thread
  bool idle = false;              ///< the thread waits for a section, without ticks
  bool hurry = false;             ///< a section needs a shorter tick
  std::uint64_t last_number = 0;  ///< of a section
  std::vector<Section*> sections;
  Running running{std::chrono::hours(1)};
};

void Watchdog::Shared::run() {
  std::unique_lock lock(mutex);
  while (!stop) {
    sleep(lock);
    const std::vector<Due> all = due(running.look());
    set_tick();  // now, since no time is lost between two looks
    for (const Due& next : all) {
      if (goes_on(next) && (next.by == By::this_thread || !act_on_own_thread(next))) {
        act(next, lock);
      }
    }
  }
}

void Watchdog::Shared::act(const Due& due, std::unique_lock<std::mutex>& lock) {
  acting = true;
  lock.unlock();
  due.act();
  lock.lock();
  acting = false;
}

/// Returns false if there is no thread to be had.
bool Watchdog::Shared::act_on_own_thread(const Due& due) {
  try {
    std::thread([shared = shared_from_this(), due] {
      std::unique_lock lock(shared->mutex);
      if (shared->goes_on(due)) {
        lock.unlock();
        due.act();
      }
    }).detach();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// For a tick or, where a whole tick has gone by without a section, until there is one: short sections in a
/// row need not wake the thread each time.
void Watchdog::Shared::sleep(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t seen = last_number;
  wake.wait_for(lock, running.tick(), [this] { return stop || hurry; });
  if (!stop && sections.empty() && last_number == seen) {
    idle = true;
    wake.wait(lock, [&] { return stop || last_number != seen; });
    idle = false;
  }
  hurry = false;
}

/// To that of the section that has the shortest limit.
void Watchdog::Shared::set_tick() {
  const auto shortest =
      std::min_element(sections.begin(), sections.end(),
                       [](const Section* a, const Section* b) { return a->watch_.limit < b->watch_.limit; });
  if (shortest != sections.end()) {
    running = Running((*shortest)->watch_.limit);
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
      all.push_back({section, section->number_, section->actions_.tell, By::this_thread});
    } else if (section->barked_ && section->inside_ - watch.limit >= watch.grace && !section->left_) {
      section->left_ = true;
      all.push_back({section, section->number_, section->actions_.leave, By::own_thread});
    }
  }
  std::erase_if(all, [](const Due& due) { return !due.act; });
  return all;
}

Watchdog::~Watchdog() {
  if (!shared_) {
    return;
  }
  if (!shared_->of_this_process()) {
    static_cast<void>(thread_.release());
    return;
  }
  bool leave_alone = false;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
    leave_alone = shared_->acting;
  }
  if (leave_alone) {
    thread_->detach();
    return;
  }
  shared_->wake.notify_all();
  thread_->join();
}

std::shared_ptr<Watchdog::Shared> Watchdog::started() {
  const std::lock_guard lock(start_mutex);
  if (!shared_ || !shared_->of_this_process()) {
    auto shared = std::make_shared<Shared>();
    auto thread = std::make_unique<std::thread>([shared] { shared->run(); });
    static_cast<void>(thread_.release());
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
  if (actions_.over && shared_->of_this_process()) {
    actions_.over();
  }
}

/// Its time begins anew.
void Watchdog::Section::enter() {
  if (!shared_->of_this_process()) {
    return;
  }
  const std::lock_guard lock(shared_->mutex);
  number_ = ++shared_->last_number;
  counts_ = barked_ = left_ = false;
  inside_ = std::chrono::nanoseconds(0);
  shared_->sections.push_back(this);
  if (shared_->idle || Running(watch_.limit).tick() < shared_->running.tick()) {
    shared_->hurry = true;
    shared_->wake.notify_one();
  }
}

void Watchdog::Section::leave() {
  if (shared_->of_this_process()) {
    const std::lock_guard lock(shared_->mutex);
    std::erase(shared_->sections, this);
  }
}

}  // namespace contextual::tuning
