#include "display_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace contextual::log_report {
namespace {

constexpr std::string_view dots = "...";

struct Decoded {
  char32_t code_point = 0;
  std::size_t bytes = 0;  ///< 0: no UTF-8 here
};

/// The character at the front of `text`, which is not empty.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    return {first, 1};
  }
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) {
    return {};
  }
  char32_t code_point = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return {};
    }
    code_point = (code_point << 6U) | (byte(i) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && code_point < 0x800) || (bytes == 4 && code_point < 0x10000);
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  return overlong || surrogate || code_point > 0x10FFFF ? Decoded{} : Decoded{code_point, bytes};
}

bool is_printable(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  const bool direction = c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
                         (c >= 0x2066 && c <= 0x2069);
  return !control && !direction && c != 0xFEFF;
}

std::size_t character_columns(char32_t c) {
  const bool combining =
      (c >= 0x300 && c <= 0x36F) || c == 0x200B || c == 0x200D || (c >= 0xFE00 && c <= 0xFE0F);
  if (combining) {
    return 0;
  }
  const bool wide =
      (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
      (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
      (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

/// Bytes at the front of `text` that fit into `columns`.
std::size_t prefix_bytes(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  std::size_t used = 0;
  while (bytes < text.size()) {
    const Decoded next = decode(text.substr(bytes));
    used += character_columns(next.code_point);
    if (used > columns) {
      break;
    }
    bytes += std::max<std::size_t>(next.bytes, 1);
  }
  return bytes;
}

/// Where the last `columns` columns of `text` begin.
std::size_t suffix_begin(std::string_view text, std::size_t columns) {
  const std::size_t all = columns_of(text);
  std::size_t begin = all > columns ? prefix_bytes(text, all - columns) : 0;
  while (columns_of(text.substr(begin)) > columns) {
    begin += std::max<std::size_t>(decode(text.substr(begin)).bytes, 1);
  }
  return begin;
}

std::string formatted(const char* format, double value) {
  std::array<char, 64> digits{};
  std::snprintf(digits.data(), digits.size(), format, value);
  return digits.data();
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  std::size_t position = 0;
  while (position < text.size() && position < limit) {
    const Decoded next = decode(text.substr(position));
    if (next.bytes > 0 && is_printable(next.code_point)) {
      result += text.substr(position, next.bytes);
    } else if (next.code_point == '\n') {
      result += "\\n";
    } else if (next.code_point == '\t') {
      result += ' ';
    } else {
      std::array<char, 16> escape{};
      const bool is_byte = next.bytes < 2;
      std::snprintf(escape.data(), escape.size(), is_byte ? "\\x%02x" : "\\u%04x",
                    is_byte ? static_cast<unsigned>(static_cast<unsigned char>(text[position]))
                            : static_cast<unsigned>(next.code_point));
      result += escape.data();
    }
    position += std::max<std::size_t>(next.bytes, 1);
  }
  if (position < text.size()) {
    result += "... (" + std::to_string(text.size() - position) + " bytes more)";
  }
  return result;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Decoded next = decode(text);
    columns += character_columns(next.code_point);
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return columns;
}

std::string shorten(std::string_view text, std::size_t columns) {
  if (text.size() <= columns || columns_of(text) <= columns) {
    return std::string(text);
  }
  if (columns <= dots.size()) {
    return std::string(text.substr(0, prefix_bytes(text, columns)));
  }
  return std::string(text.substr(0, prefix_bytes(text, columns - dots.size()))).append(dots);
}

std::string shorten_middle(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns || columns < 8) {
    return shorten(text, columns);
  }
  const std::size_t kept = columns - dots.size();
  const std::size_t front = kept - kept / 2;
  return std::string(text.substr(0, prefix_bytes(text, front)))
      .append(dots)
      .append(text.substr(suffix_begin(text, kept / 2)));
}

std::vector<std::string> wrap(std::string_view text, std::size_t columns, std::size_t max_lines) {
  columns = std::max<std::size_t>(columns, 8);
  std::vector<std::string> lines;
  while (columns_of(text) > columns) {
    if (lines.size() + 1 >= max_lines) {
      break;
    }
    std::size_t end = prefix_bytes(text, columns);
    const std::size_t space = text.rfind(' ', end);
    const bool at_space = space != std::string_view::npos && space > end / 2;
    end = at_space ? space : end;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(at_space ? end + 1 : end);
  }
  lines.push_back(shorten(text, columns));
  return lines;
}

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
  std::string text;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    text += i == 0 ? "" : ", ";
    if (i == max_ranges) {
      return text + "...";
    }
    const auto [first, last] = ranges[i];
    text += std::to_string(first);
    if (last != first) {
      text += (last - first == 1 ? ", " : "-") + std::to_string(last);
    }
  }
  return text;
}

std::string ranks_text(const std::vector<Range>& ranges) {
  const bool one = ranges.size() == 1 && ranges.front().first == ranges.front().last;
  return (one ? "rank " : "ranks ") + ranges_text(ranges);
}

std::string ranks_text(const std::vector<std::int64_t>& sorted) {
  return ranks_text(ranges_of(sorted));
}

std::string count_text(std::uint64_t count, std::string_view singular, std::string_view plural) {
  const std::string many = plural.empty() ? std::string(singular) + "s" : std::string(plural);
  return std::to_string(count) + " " + (count == 1 ? std::string(singular) : many);
}

}  // namespace contextual::log_report
