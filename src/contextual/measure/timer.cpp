#include <contextual/error.hpp>
#include <contextual/timer.hpp>

#include <mutex>
#include <utility>

namespace contextual {
namespace {

struct DefaultTimer {
  std::mutex mutex;
  TimerFactory factory = host_timer;
};

/// Never destroyed: a tuner may run while the process exits.
DefaultTimer& default_timer_slot() {
  static auto* const slot = new DefaultTimer;
  return *slot;
}

}  // namespace

// Here and not in the header, so that the vtable and the type information exist once in the process.
Timer::~Timer() = default;

std::string_view Timer::substitute_name() const noexcept {
  return {};
}

std::unique_ptr<Timer> Timer::make_substitute() {
  return nullptr;
}

bool Timer::measures_devices() const noexcept {
  return true;
}

void Timer::set_iterations(Iterations /*iterations*/) {}

void Timer::begin_batch(const BatchStart& /*start*/) {}

std::chrono::nanoseconds Timer::wanted_head_start() const noexcept {
  return {};
}

bool Timer::captures(const LaunchInfo& /*launch*/) noexcept {
  return false;
}

std::optional<std::int64_t> Timer::bias_ns() const noexcept {
  return std::nullopt;
}

BatchConditions Timer::conditions() {
  return {};
}

std::string Timer::loading_hazard() const {
  return {};
}

void set_default_timer(TimerFactory factory) {
  if (!factory) {
    throw InvalidArgument("set_default_timer got an empty factory: give it one that makes timers");
  }
  DefaultTimer& slot = default_timer_slot();
  const std::lock_guard lock(slot.mutex);
  slot.factory = std::move(factory);
}

TimerFactory default_timer() {
  DefaultTimer& slot = default_timer_slot();
  const std::lock_guard lock(slot.mutex);
  return slot.factory;
}

}  // namespace contextual
