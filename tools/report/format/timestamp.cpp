#include "report/format/timestamp.hpp"

#include <array>
#include <chrono>
#include <cstdio>

namespace contextual::log_report {

std::optional<std::int64_t> seconds_of(std::string_view iso8601) {
  constexpr std::string_view pattern = "dddd-dd-ddTdd:dd:ddZ";
  std::array<int, 20> digits{};
  if (iso8601.size() != pattern.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = iso8601[i];
    const bool digit = c >= '0' && c <= '9';
    if (pattern[i] == 'd' ? !digit : c != pattern[i]) {
      return std::nullopt;
    }
    digits[i] = c - '0';
  }
  const auto two = [&](std::size_t i) { return 10 * digits[i] + digits[i + 1]; };
  const std::chrono::year_month_day date{std::chrono::year{100 * two(0) + two(2)},
                                         std::chrono::month{static_cast<unsigned>(two(5))},
                                         std::chrono::day{static_cast<unsigned>(two(8))}};
  if (!date.ok() || two(11) > 23 || two(14) > 59 || two(17) > 60) {
    return std::nullopt;
  }
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  return ((days * 24 + two(11)) * 60 + two(14)) * 60 + two(17);
}

std::string iso8601_of(std::int64_t seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds{seconds}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

}  // namespace contextual::log_report
