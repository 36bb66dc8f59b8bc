#pragma once

/// \file
/// Text from logs, safe to show and in the columns of a terminal; times, ratios, counts, ranges of numbers
/// and points in time as people read them.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::log_report {

/// More entries than any list has.
inline constexpr std::size_t no_limit = 1'000'000'000;

/// Returns `text` with visible escapes instead of control characters, characters that change the writing
/// direction, and bytes that are not UTF-8. A name from a log can therefore neither move a terminal's cursor
/// nor reverse a line. Text beyond `limit` bytes is left out, and the result says so.
std::string printable(std::string_view text, std::size_t limit = 16'384);

/// Returns `text` in at most `columns` columns; "..." replaces the end of one that is longer. Cuts between
/// characters. Fewer than 4 columns leave no room for the dots.
std::string shorten(std::string_view text, std::size_t columns);

/// Returns e.g. "12.3 us", with at most four significant digits and in the unit that fits, or "? ns" if
/// `ns` is not finite.
std::string duration_text(double ns);
template <std::integral N>
std::string duration_text(N ns) {
  return duration_text(static_cast<double>(ns));
}

/// Returns e.g. "12.3 us +- 0.2 us", without a spread that is not known, or "no time".
std::string time_text(std::optional<double> centre_ns, std::optional<double> spread_ns);

/// Returns e.g. "+3.2 %", always with the sign.
std::string percent_text(double fraction);

/// Returns a rate with four significant digits, e.g. "687.2", or "" without a value.
std::string rate_text(const std::optional<double>& rate);

/// Returns e.g. "1 line" or "2 lines". Unless it is given, the plural is the singular with an "s".
template <std::integral N>
std::string count_text(N count, std::string_view singular, std::string_view plural = {}) {
  return std::to_string(count) + " " + std::string(count == 1 || plural.empty() ? singular : plural) +
         (count != 1 && plural.empty() ? "s" : "");
}

/// Returns what `text` makes of the items, with `separator` between them. Leaves out items without a text; if
/// there are more than `most` others, "..." stands for the rest.
template <typename Items, typename Text>
std::string joined(const Items& items, std::string_view separator, const Text& text,
                   std::size_t most = no_limit) {
  std::string all;
  std::size_t count = 0;
  for (const auto& item : items) {
    const std::string one(text(item));
    if (!one.empty()) {
      all.append(count == 0 ? "" : separator).append(count == most ? "..." : one);
      if (count++ == most) {
        break;
      }
    }
  }
  return all;
}

/// Numbers from `first` to `last`, both included.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;

  friend bool operator==(const Range&, const Range&) = default;
};

std::vector<Range> ranges_of(const std::vector<std::int64_t>& sorted);

/// Returns e.g. "0-3, 7, 9-12". If there are more than `max_ranges` ranges, ", ..." replaces the rest.
std::string ranges_text(const std::vector<Range>& ranges, std::size_t max_ranges = 12);

/// Returns e.g. "rank 3" or "ranks 0-2, 5".
std::string ranks_text(const std::vector<std::int64_t>& sorted);

/// Reads a time like "2026-01-31T12:00:00Z" as seconds since 1970. Returns nothing for any other text.
std::optional<std::int64_t> seconds_of(std::string_view iso8601);

/// Writes seconds since 1970 as `seconds_of` reads them.
std::string iso8601_of(std::int64_t seconds);

}  // namespace contextual::log_report
