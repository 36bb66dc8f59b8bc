#pragma once

#include <array>
#include <chrono>
#include <ctime>
#include <string>

namespace contextual::record {

/// Returns a point in time in UTC, by default as ISO 8601, e.g. "2026-01-31T12:00:00Z".
inline std::string utc_text(std::chrono::system_clock::time_point time,
                            const char* format = "%Y-%m-%dT%H:%M:%SZ") {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), format, &parts);
  return text.data();
}

}  // namespace contextual::record
