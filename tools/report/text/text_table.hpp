#pragma once

/// \file
/// Columns of text that fit into a width.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contextual::log_report {

enum class Colour : std::uint8_t { none, bold, dim, good, bad };

/// `text` between terminal escapes, or as it is when `on` is false.
std::string painted(const std::string& text, Colour colour, bool on);

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title{};
  Align align = Align::left;
  std::size_t min_width = 0;  ///< 0: never made narrower; else it may be, and its cells are shortened
};

/// Rows of cells in aligned columns. A cell of the last column is wrapped into at most `last_lines` lines;
/// the cells of the others are shortened.
class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns, std::size_t last_lines = 1)
      : columns_(std::move(columns)), last_lines_(last_lines) {}

  void add(std::vector<std::string> cells, Colour colour = Colour::none);
  bool empty() const { return rows_.empty(); }

  /// Lines of at most `width` columns, `indent` spaces in front of each.
  std::string text(std::size_t width, std::size_t indent, bool colour) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Colour colour = Colour::none;
  };
  std::vector<std::size_t> widths(std::size_t width) const;
  /// Empty where no column may be made narrower.
  std::optional<std::size_t> widest_that_gives_way(const std::vector<std::size_t>& widths) const;
  struct Layout {
    std::vector<std::size_t> widths;
    std::size_t line = 0;  ///< columns of a whole line
    std::size_t indent = 0;
    bool colour = false;
  };
  void write(std::string& out, const Row& row, const Layout& layout) const;

  std::vector<Column> columns_;
  std::size_t last_lines_;
  std::vector<Row> rows_;
};

}  // namespace contextual::log_report
