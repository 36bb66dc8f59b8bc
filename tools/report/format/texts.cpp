#include "report/format/texts.hpp"

#include "contextual/record/text_table.hpp"
#include "contextual/record/utc_time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>

namespace contextual::log_report {
namespace {

std::string formatted(const char* format, double value) {
  if (!std::isfinite(value)) {
    return "?";
  }
  std::array<char, 64> digits{};
  std::snprintf(digits.data(), digits.size(), format, value);
  return digits.data();
}

bool is_printable(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  const bool direction = c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
                         (c >= 0x2066 && c <= 0x2069);
  return !control && !direction && c != 0xFEFF;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  std::size_t position = 0;
  while (position < text.size() && position < limit) {
    const auto next = record::first_character(text.substr(position));
    if (next.byte_count > 0 && is_printable(next.code_point)) {
      result += text.substr(position, next.byte_count);
    } else if (next.code_point == '\n') {
      result += "\\n";
    } else if (next.code_point == '\t') {
      result += ' ';
    } else {
      std::array<char, 16> escape{};
      const bool is_byte = next.byte_count < 2;
      std::snprintf(escape.data(), escape.size(), is_byte ? "\\x%02x" : "\\u%04x",
                    is_byte ? static_cast<unsigned>(static_cast<unsigned char>(text[position]))
                            : static_cast<unsigned>(next.code_point));
      result += escape.data();
    }
    position += std::max<std::size_t>(next.byte_count, 1);
  }
  if (position < text.size()) {
    result += "... (" + std::to_string(text.size() - position) + " bytes more)";
  }
  return result;
}

std::string shorten(std::string_view text, std::size_t columns) {
  constexpr std::string_view dots = "...";
  if (text.size() <= columns || record::column_count(text) <= columns) {
    return std::string(text);
  }
  const std::string_view end = columns > dots.size() ? dots : "";
  return std::string(text.substr(0, record::fitting(text, columns - end.size()).first)).append(end);
}

std::string duration_text(double ns) {
  constexpr std::array units{" ns", " us", " ms", " s"};
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

std::string time_text(std::optional<double> centre_ns, std::optional<double> spread_ns) {
  return centre_ns ? duration_text(*centre_ns) + (spread_ns ? " +- " + duration_text(*spread_ns) : "")
                   : "no time";
}

std::string percent_text(double fraction) {
  const double percent = fraction * 100;
  return formatted(std::abs(percent) < 1e3   ? "%+.1f"
                   : std::abs(percent) < 1e6 ? "%+.0f"
                                             : "%+.3g",
                   percent) +
         " %";
}

std::string rate_text(const std::optional<double>& rate) {
  return rate ? formatted("%.4g", *rate) : "";
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
