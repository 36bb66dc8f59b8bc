#pragma once

/// \file
/// A table, before it is text or part of a page, and as text that fits into a width.

#include "contextual/record/text_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace contextual::log_report {

/// How a row or a paragraph stands out.
enum class Tone : std::uint8_t { none, bold, dim, good, bad };

enum class Align : std::uint8_t { left, right };

/// What becomes of a column of the text where a line has no room.
enum class Room : std::uint8_t {
  fixed,      ///< it stays as it is
  gives_way,  ///< long cells have lines of their own
  minor,      ///< it is left out
  by_blocks,  ///< the columns of this kind are divided among several tables, each with all the others
};

struct Column {
  std::string title{};
  Align align = Align::left;
  Room room = Room::fixed;
};

struct Table {
  struct Row {
    std::vector<std::string> cells;
    Tone tone = Tone::none;
    std::string anchor{};  ///< of the page, to which the first cell is a link; empty for none
  };
  std::vector<Column> columns;
  std::vector<Row> rows{};

  /// Adds a row; cells that are missing at its end are empty.
  void add(std::vector<std::string> cells, Tone tone = Tone::none, std::string anchor = {}) {
    cells.resize(columns.size());
    rows.push_back({std::move(cells), tone, std::move(anchor)});
  }
};

/// Returns lines of at most `width` columns, each with `indent` spaces in front. No cell is cut: one that has
/// no room in its column has a line of its own below its row, after the column's title; one of the first
/// column has it above.
std::string table_text(const Table& table, std::size_t width, std::size_t indent);

}  // namespace contextual::log_report
