#include "report/format/quantities.hpp"

#include "contextual/record/utc_time.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>

namespace contextual::log_report {

namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 64> digits{};
  std::snprintf(digits.data(), digits.size(), format, value);
  return digits.data();
}

}  // namespace

std::string duration_text(double ns) {
  constexpr std::array units{" ns", " us", " ms", " s"};
  if (!std::isfinite(ns)) {
    return "?";
  }
  std::size_t unit = 0;
  for (; unit + 1 < units.size() && std::abs(ns) >= 999.5; ++unit) {
    ns /= 1e3;
  }
  const double size = std::abs(ns);
  const char* const format = unit == 0 || size >= 999.5 ? size < 1e4 ? "%.0f" : "%.3g"
                             : size >= 99.95            ? "%.1f"
                             : size >= 9.995            ? "%.2f"
                                                        : "%.3f";
  return formatted(format, ns) + units[unit];
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

std::string ranks_text(const std::vector<std::int64_t>& sorted) {
  return (sorted.size() == 1 ? "rank " : "ranks ") + ranges_text(ranges_of(sorted));
}

std::optional<std::int64_t> seconds_of(std::string_view iso8601) {
  const std::string text(iso8601);
  std::tm parts{};
  const char* const end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end == text.c_str() + text.size() ? std::optional<std::int64_t>(timegm(&parts)) : std::nullopt;
}

std::string iso8601_of(std::int64_t seconds) {
  return record::utc_text(std::chrono::system_clock::from_time_t(seconds));
}

}  // namespace contextual::log_report
