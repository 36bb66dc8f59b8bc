#include "report/format/printable.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace contextual::log_report {

struct Character {
  char32_t code_point = 0;
  std::size_t byte_count = 0;  ///< 0 if the bytes are not UTF-8
};

/// Returns the first character of `text`, which must not be empty.
Character first_character(std::string_view text);

Character first_character(std::string_view text) {
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
  return overlong || surrogate || code_point > 0x10FFFF ? Character{} : Character{code_point, bytes};
}

namespace {

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
    const Character next = first_character(text.substr(position));
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

namespace {

constexpr std::string_view dots = "...";

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
    const Character next = first_character(text.substr(bytes));
    used += character_columns(next.code_point);
    if (used > columns) {
      break;
    }
    bytes += std::max<std::size_t>(next.byte_count, 1);
  }
  return bytes;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character next = first_character(text);
    columns += character_columns(next.code_point);
    text.remove_prefix(std::max<std::size_t>(next.byte_count, 1));
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

}  // namespace contextual::log_report
