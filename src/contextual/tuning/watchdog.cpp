#include "contextual/tuning/watchdog.hpp"

#include <contextual/detail/sync/running_time.hpp>

#include <unistd.h>

#include <string>
#include <utility>

namespace contextual::tuning {

namespace {

/// Innermost on this thread.
thread_local Watchdog::Section* current_section = nullptr;

}  // namespace

/// Outlives the watchdog where its thread has to be left alone.
struct Watchdog::Shared {
  std::chrono::nanoseconds limit{};
  std::chrono::nanoseconds grace{};
  Bark bark;
  std::mutex mutex;
  std::condition_variable wake;
  bool stop = false;
  bool looking = false;  ///< in `bark`
  bool acting = false;   ///< in an action

  // Written by the watched thread before it changes `generation`.
  std::atomic<Activity> activity{Activity::region};
  std::atomic<Phase> phase{Phase::walk};
  std::atomic<std::int64_t> tuning_iteration{0};
  std::atomic<std::uint64_t> generation{0};  ///< odd: inside a section
};

/// The watchdog's thread.
class Watchdog::Watch {
 public:
  explicit Watch(std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)), lock_(shared_->mutex), running_(shared_->limit) {}

  void run() {
    while (!shared_->wake.wait_for(lock_, running_.tick(), [this] { return shared_->stop; })) {
      count();
      if (inside_ >= shared_->limit && barked_ != seen_) {
        barked_ = seen_;
        look();
        act(actions_.tell);
      } else if (inside_ >= shared_->limit + shared_->grace && barked_ == seen_ && left_ != seen_) {
        left_ = seen_;
        act(actions_.leave);
      }
    }
  }

 private:
  bool still_there() const { return shared_->generation.load(std::memory_order_acquire) == seen_; }

  void count() {
    const std::chrono::nanoseconds passed = running_.look();
    const std::uint64_t generation = shared_->generation.load(std::memory_order_acquire);
    const bool same_section = generation % 2 == 1 && generation == seen_;
    inside_ = same_section ? inside_ + passed : std::chrono::nanoseconds(0);
    seen_ = generation;
  }

  void look() {
    const Place place{shared_->activity.load(std::memory_order_relaxed),
                      shared_->phase.load(std::memory_order_relaxed),
                      shared_->tuning_iteration.load(std::memory_order_relaxed)};
    shared_->looking = true;
    lock_.unlock();
    actions_ = still_there() ? shared_->bark(place, inside_) : Actions();
    lock_.lock();
    shared_->looking = false;
    shared_->wake.notify_all();
  }

  void act(const std::function<void()>& action) {
    if (!action || shared_->stop || !still_there()) {
      return;
    }
    shared_->acting = true;
    lock_.unlock();
    action();
    lock_.lock();
    shared_->acting = false;
  }

  std::shared_ptr<Shared> shared_;
  std::unique_lock<std::mutex> lock_;
  Actions actions_;
  std::uint64_t seen_ = 0;
  std::uint64_t barked_ = 0;
  std::uint64_t left_ = 0;
  std::chrono::nanoseconds inside_{0};
  detail::RunningTime<std::chrono::steady_clock> running_;
};

Watchdog::Watchdog(std::chrono::milliseconds limit, std::chrono::milliseconds grace, Bark bark)
    : shared_(std::make_shared<Shared>()), process_(getpid()) {
  shared_->limit = limit;
  shared_->grace = grace;
  shared_->bark = std::move(bark);
  thread_ = std::thread([shared = shared_] { Watch(shared).run(); });
}

Watchdog::~Watchdog() {
  bool leave_alone = process_ != getpid();
  if (!leave_alone) {
    std::unique_lock lock(shared_->mutex);
    shared_->stop = true;
    shared_->wake.wait(lock, [&] { return !shared_->looking; });
    leave_alone = shared_->acting;
  }
  if (leave_alone) {
    thread_.detach();
    return;
  }
  shared_->wake.notify_all();
  thread_.join();
}

Watchdog::Section::Section(Watchdog& watchdog, const Place& place)
    : watchdog_(watchdog), place_(place), outer_(std::exchange(current_section, this)) {
  if (outer_ != nullptr) {
    outer_->leave();
  }
  enter();
}

Watchdog::Section::~Section() {
  leave();
  current_section = outer_;
  if (outer_ != nullptr) {
    outer_->enter();
  }
}

Watchdog::Pause::Pause() : outer_(std::exchange(current_section, nullptr)) {
  if (outer_ != nullptr) {
    outer_->leave();
  }
}

Watchdog::Pause::~Pause() {
  if (outer_ != nullptr) {
    outer_->enter();
  }
  current_section = outer_;
}

void Watchdog::Section::enter() noexcept {
  Shared& shared = *watchdog_.shared_;
  shared.activity.store(place_.activity, std::memory_order_relaxed);
  shared.phase.store(place_.phase, std::memory_order_relaxed);
  shared.tuning_iteration.store(place_.tuning_iteration, std::memory_order_relaxed);
  shared.generation.fetch_add(1, std::memory_order_release);
}

void Watchdog::Section::leave() noexcept {
  watchdog_.shared_->generation.fetch_add(1, std::memory_order_release);
}

}  // namespace contextual::tuning
