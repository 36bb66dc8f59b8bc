#pragma once

/// \file
/// Text in the columns of a terminal, and tables that fit into a width. Pure, and inline, because
/// contextual-report, which does not link the library, lays out its tables with it, too.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace contextual::record {

struct Character {
  char32_t code_point = 0;
  std::size_t byte_count = 0;  ///< 0 if the bytes are not UTF-8
};

/// Returns the first character of `text`, which must not be empty.
inline Character first_character(std::string_view text) {
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

/// Returns the bytes at the front of UTF-8 text that take at most `most` columns, and how many they take.
/// East Asian wide characters take two.
inline std::pair<std::size_t, std::size_t> fitting(
    std::string_view text, std::size_t most = std::numeric_limits<std::size_t>::max()) {
  std::size_t bytes = 0;
  std::size_t columns = 0;
  while (bytes < text.size()) {
    const auto [c, byte_count] = first_character(text.substr(bytes));
    const bool combining =
        (c >= 0x300 && c <= 0x36F) || c == 0x200B || c == 0x200D || (c >= 0xFE00 && c <= 0xFE0F);
    const bool wide =
        (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
        (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
        (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
    const std::size_t more = combining ? 0 : wide ? 2 : 1;
    if (columns + more > most) {
      break;
    }
    columns += more;
    bytes += std::max<std::size_t>(byte_count, 1);
  }
  return {bytes, columns};
}

/// Returns the number of columns that UTF-8 text takes.
inline std::size_t column_count(std::string_view text) {
  return fitting(text).second;
}

/// Returns `text`, which has no line end, in lines of at most `wanted_width` columns, or 8 if that is more,
/// broken at spaces where there are any. Lines after the first one begin with `more` spaces more.
inline std::vector<std::string> wrap(std::string_view text, std::size_t wanted_width, std::size_t more = 0) {
  const std::size_t width = std::max<std::size_t>(wanted_width, 8);
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::string indent(std::min(begin + more, width / 2), ' ');
  std::vector<std::string> lines;
  std::string line(text);
  while (column_count(line) > width) {
    const std::size_t limit = fitting(line, width).first;
    std::size_t space = line.rfind(' ', limit);
    if (space == std::string::npos || space < indent.size()) {
      space = limit;
    }
    lines.push_back(line.substr(0, space));
    line.replace(0, std::min(line.find_first_not_of(' ', space), line.size()), indent);
  }
  lines.push_back(std::move(line));
  return lines;
}

/// Lays out cells in columns, with no line longer than a width. A cell that has no room in a column that
/// gives way has lines of its own below its row, after the column's title; one of the first column has them
/// above.
class TextTable {
 public:
  struct Column {
    std::string_view title{};
    bool is_number = false;  ///< aligned right
    bool gives_way = false;
  };
  using Row = std::vector<std::string>;

  /// All that is passed must outlive the object. `indent` spaces are in front of each line.
  TextTable(std::vector<Column> columns, std::vector<const Row*> rows, std::size_t width,
            std::size_t indent = 0)
      : columns_(std::move(columns)), rows_(std::move(rows)), width_(width), indent_(indent) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      rooms_.push_back(widest_cell(i));
    }
    // The last columns give way first. The first ones come back as far as there is room again.
    for (std::size_t i = columns_.size(); i-- > 0;) {
      make_room(i);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      make_room(i);
    }
  }

  std::vector<std::string> title_lines() const {
    Row titles;
    for (const Column& column : columns_) {
      titles.emplace_back(column.title);
    }
    std::vector<std::string> lines;
    add(lines, line_of(titles), indent_);
    return lines;
  }

  std::vector<std::string> lines_of(const Row& row) const {
    Row cells = row;
    std::vector<std::string> lines;
    std::vector<std::string> below;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns_[i].gives_way && column_count(cells[i]) > rooms_[i]) {
        const std::string title(columns_[i].title);
        i == 0 ? add(lines, cells[i], indent_)
               : add(below, (title.empty() ? "" : title + ": ") + cells[i], indent_ + hanging);
        cells[i].clear();
      }
    }
    add(lines, line_of(cells), indent_);
    lines.insert(lines.end(), below.begin(), below.end());
    return lines;
  }

 private:
  static constexpr std::size_t gap = 2;
  static constexpr std::size_t hanging = 4;  ///< spaces before what belongs to the line above

  /// The columns that the widest cell of a column takes, of those that take at most `most`.
  std::size_t widest_cell(std::size_t column,
                          std::size_t most = std::numeric_limits<std::size_t>::max()) const {
    std::size_t widest = 0;
    for (const Row* row : rows_) {
      const std::size_t columns = column_count((*row)[column]);
      widest = columns <= most ? std::max(widest, columns) : widest;
    }
    return widest;
  }

  /// 0 for a column that has given way with all of its cells.
  std::size_t width_of(std::size_t column) const {
    const bool gone = columns_[column].gives_way && rooms_[column] == 0;
    return gone ? 0 : std::max(rooms_[column], column_count(columns_[column].title));
  }

  bool fits() const {
    std::size_t used = indent_;
    for (std::size_t i = 0; i < rooms_.size(); ++i) {
      used += width_of(i) == 0 ? 0 : width_of(i) + gap;
    }
    return used <= width_ + gap;
  }

  void make_room(std::size_t column) {
    if (columns_[column].gives_way) {
      rooms_[column] = widest_cell(column);
      while (!fits() && rooms_[column] > 0) {
        rooms_[column] = widest_cell(column, rooms_[column] - 1);
      }
    }
  }

  /// Without those of columns that are gone.
  std::string line_of(const Row& cells) const {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (width_of(i) > 0) {
        const std::string padding(width_of(i) - std::min(width_of(i), column_count(cells[i])), ' ');
        line += (columns_[i].is_number ? padding + cells[i] : cells[i] + padding) + std::string(gap, ' ');
      }
    }
    return line.erase(line.find_last_not_of(' ') + 1);
  }

  /// Nothing for a text without a character.
  void add(std::vector<std::string>& lines, const std::string& text, std::size_t indent) const {
    if (!text.empty()) {
      for (std::string& line : wrap(std::string(indent, ' ') + text, width_, hanging)) {
        lines.push_back(std::move(line));
      }
    }
  }

  std::vector<Column> columns_;
  std::vector<const Row*> rows_;
  std::size_t width_;
  std::size_t indent_;
  std::vector<std::size_t> rooms_;  ///< of the widest cell that stands in each column
};

}  // namespace contextual::record
