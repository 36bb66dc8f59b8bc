#include "report/format/columns.hpp"

#include "report/format/utf8.hpp"

#include <algorithm>

namespace contextual::log_report {
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
