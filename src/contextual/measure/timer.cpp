#include <contextual/timer.hpp>

namespace contextual {

// Here and not in the header, so that the vtable and the type information exist once in the process.
Timer::~Timer() = default;

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

}  // namespace contextual
