#pragma once

/// \file
/// A table of text that fits into a width.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace contextual::log_report {

enum class Colour : std::uint8_t { none, bold, dim, good, bad };

/// Returns `text` between terminal escapes, or unchanged if `on` is false.
std::string painted(const std::string& text, Colour colour, bool on);

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title{};
  Align align = Align::left;
  bool gives_way = false;  ///< where a line has no room, long cells of the column have lines of their own
};

/// Rows of cells in aligned columns. No cell is cut. One that has no room in its column has a line of its own
/// below its row, after the column's title; one of the first column has it above.
class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells, Colour colour = Colour::none);
  bool empty() const { return rows_.empty(); }

  /// Returns lines of at most `width` columns, each with `indent` spaces in front.
  std::string text(std::size_t width, std::size_t indent, bool colour) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Colour colour = Colour::none;
  };
  class Layout;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace contextual::log_report
