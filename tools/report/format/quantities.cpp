#include "report/format/quantities.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace contextual::log_report {

namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 64> digits{};
  std::snprintf(digits.data(), digits.size(), format, value);
  return digits.data();
}

}  // namespace

std::string duration_text(double ns) {
  struct Unit {
    double ns;
    const char* name;
  };
  static constexpr std::array<Unit, 4> units{{{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}, {1, " ns"}}};
  if (!std::isfinite(ns)) {
    return "?";
  }
  const double size = std::abs(ns);
  if (size >= 1e13) {
    return formatted("%.3g", ns / 1e9) + " s";
  }
  for (const Unit& unit : units) {
    const double value = ns / unit.ns;
    const double digits = size / unit.ns;
    if (digits >= 0.9995 || unit.ns == 1) {
      const char* format = digits >= 999.5   ? "%.0f"
                           : digits >= 99.95 ? "%.1f"
                           : digits >= 9.995 ? "%.2f"
                                             : "%.3f";
      return formatted(unit.ns == 1 ? "%.0f" : format, value) + unit.name;
    }
  }
  return "?";
}

std::string percent_text(double fraction) {
  if (!std::isfinite(fraction)) {
    return "?";
  }
  const double percent = fraction * 100;
  return formatted(std::abs(percent) < 1'000 ? "%+.1f" : "%+.3g", percent) + " %";
}

std::string factor_text(double factor) {
  if (!std::isfinite(factor)) {
    return "?";
  }
  return formatted(std::abs(factor) < 100 ? "%.1f" : std::abs(factor) < 1e6 ? "%.0f" : "%.3g", factor) + " x";
}

std::string rate_text(const std::optional<double>& rate) {
  if (!rate) {
    return "";
  }
  return std::isfinite(*rate) ? formatted("%.4g", *rate) : "?";
}

std::vector<Range> ranges_of(const std::vector<std::int64_t>& sorted) {
  std::vector<Range> ranges;
  for (const std::int64_t number : sorted) {
    if (ranges.empty() || number - ranges.back().last > 1) {
      ranges.push_back({number, number});
    }
    ranges.back().last = number;
  }
  return ranges;
}

std::string ranges_text(const std::vector<Range>& ranges, std::size_t max_ranges) {
  const auto text = [](const Range& range) {
    const auto [first, last] = range;
    const std::string end = last == first ? "" : (last - first == 1 ? ", " : "-") + std::to_string(last);
    return std::to_string(first) + end;
  };
  return joined(ranges, ", ", text, max_ranges);
}

std::string ranks_text(const std::vector<Range>& ranges) {
  const bool one = ranges.size() == 1 && ranges.front().first == ranges.front().last;
  return (one ? "rank " : "ranks ") + ranges_text(ranges);
}

std::string ranks_text(const std::vector<std::int64_t>& sorted) {
  return ranks_text(ranges_of(sorted));
}

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
