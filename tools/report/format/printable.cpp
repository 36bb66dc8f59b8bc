#include "report/format/printable.hpp"

#include "contextual/record/text_table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace contextual::log_report {

using record::Character;
using record::first_character;

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

std::string shorten(std::string_view text, std::size_t columns) {
  constexpr std::string_view dots = "...";
  if (text.size() <= columns || record::column_count(text) <= columns) {
    return std::string(text);
  }
  const std::string_view end = columns > dots.size() ? dots : "";
  return std::string(text.substr(0, record::fitting(text, columns - end.size()).first)).append(end);
}

}  // namespace contextual::log_report
