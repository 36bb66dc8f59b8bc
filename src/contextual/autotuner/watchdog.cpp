#include "contextual/autotuner/watchdog.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

namespace contextual::autotuner {

namespace {

using Clock = std::chrono::steady_clock;

/// Fine enough to be out well within the grace, coarse enough not to be noticed beside what is measured.
std::chrono::nanoseconds tick_of(std::chrono::nanoseconds limit) {
  return std::clamp<std::chrono::nanoseconds>(limit / 100, std::chrono::milliseconds(2),
                                              std::chrono::milliseconds(500));
}

/// A tick that took longer than this many was one in which the whole process stood still.
constexpr int stopped_ticks = 4;

/// Innermost on this thread.
thread_local Watchdog::Section* current_section = nullptr;

}  // namespace

/// Outlives the watchdog where its thread has to be left alone.
struct Watchdog::Shared {
  std::chrono::nanoseconds limit{};
  Bark bark;
  std::mutex mutex;
  std::condition_variable wake;
  bool stop = false;
  bool looking = false;  ///< in `bark`
  bool acting = false;   ///< in an action

  // Written by the watched thread before it changes `generation`.
  std::atomic<const char*> activity{""};
  std::atomic<const char*> phase{""};
  std::atomic<std::int64_t> tuning_iteration{0};
  std::atomic<std::uint64_t> generation{0};  ///< odd: inside a section
};

Watchdog::Watchdog(std::chrono::milliseconds limit, Bark bark)
    : shared_(std::make_shared<Shared>()), process_(getpid()) {
  shared_->limit = limit;
  shared_->bark = std::move(bark);
  thread_ = std::thread([shared = shared_] { watch(shared); });
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

void Watchdog::watch(const std::shared_ptr<Shared>& shared) {
  const auto tick = tick_of(shared->limit);
  std::uint64_t seen = 0;
  std::uint64_t barked = 0;
  std::chrono::nanoseconds inside{0};
  auto last = Clock::now();
  std::unique_lock lock(shared->mutex);
  while (!shared->wake.wait_for(lock, tick, [&] { return shared->stop; })) {
    const auto now = Clock::now();
    const auto passed =
        std::min<std::chrono::nanoseconds>(now - std::exchange(last, now), stopped_ticks * tick);
    const std::uint64_t generation = shared->generation.load(std::memory_order_acquire);
    const bool same_section = generation % 2 == 1 && generation == seen;
    inside = same_section ? inside + passed : std::chrono::nanoseconds(0);
    seen = generation;
    if (inside < shared->limit || barked == generation) {
      continue;
    }
    barked = generation;
    const Place place{shared->activity.load(std::memory_order_relaxed),
                      shared->phase.load(std::memory_order_relaxed),
                      shared->tuning_iteration.load(std::memory_order_relaxed)};
    const std::function<bool()> still_blocked = [shared, generation] {
      return shared->generation.load(std::memory_order_acquire) == generation;
    };
    shared->looking = true;
    lock.unlock();
    const Action action = still_blocked() ? shared->bark(place, inside) : Action();
    lock.lock();
    shared->looking = false;
    shared->acting = action && !shared->stop;
    shared->wake.notify_all();
    if (shared->acting) {
      lock.unlock();
      action(still_blocked);
      lock.lock();
      shared->acting = false;
    }
  }
}

bool being_traced() noexcept {
  try {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("TracerPid:", 0) == 0) {
        return line.find_first_of("123456789") != std::string::npos;
      }
    }
  } catch (...) {
    // Not known: then nobody is.
  }
  return false;
}

}  // namespace contextual::autotuner
