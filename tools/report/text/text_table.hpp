#pragma once

/// \file
/// A table of text that fits into a width.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contextual::log_report {

enum class Colour : std::uint8_t { none, bold, dim, good, bad };

/// Returns `text` between terminal escapes, or unchanged if `on` is false.
std::string painted(const std::string& text, Colour colour, bool on);

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title{};
  Align align = Align::left;
  std::size_t min_width = 0;  ///< the column may be narrowed to this, shortening cells; 0: it may not
};

/// Rows of cells in aligned columns. Cells of the last column are wrapped into at most `last_lines` lines;
/// cells of the other columns are shortened.
class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns, std::size_t last_lines = 1)
      : columns_(std::move(columns)), last_lines_(last_lines) {}

  void add(std::vector<std::string> cells, Colour colour = Colour::none);
  bool empty() const { return rows_.empty(); }

  /// Returns lines of at most `width` columns, each with `indent` spaces in front.
  std::string text(std::size_t width, std::size_t indent, bool colour) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Colour colour = Colour::none;
  };
  std::vector<std::size_t> widths(std::size_t width) const;
  /// Returns nothing if no column may be narrowed.
  std::optional<std::size_t> widest_that_gives_way(const std::vector<std::size_t>& widths) const;
  struct Layout {
    std::vector<std::size_t> widths;
    std::size_t line = 0;  ///< of a whole line, in columns
    std::size_t indent = 0;
    bool colour = false;
  };
  void write(std::string& out, const Row& row, const Layout& layout) const;

  std::vector<Column> columns_;
  std::size_t last_lines_;
  std::vector<Row> rows_;
};

}  // namespace contextual::log_report
