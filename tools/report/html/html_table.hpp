#pragma once

/// \file
/// A table of a page.

#include <string>
#include <vector>

namespace contextual::log_report {

/// How a column's cells are set.
enum class Cells { text, number, wide };

class HtmlTable {
 public:
  struct Heading {
    std::string title;
    Cells cells = Cells::text;
  };
  explicit HtmlTable(std::vector<Heading> headings) : headings_(std::move(headings)) {}

  /// Adds a row of plain text, which is escaped here.
  void add(const std::vector<std::string>& cells, const std::string& css_class = {});
  /// Adds a row whose first cell is markup and whose other cells are plain text.
  void add_linked(const std::string& markup, const std::vector<std::string>& cells,
                  const std::string& css_class = {});

  bool empty() const { return rows_.empty(); }
  std::string markup() const;

 private:
  std::string cell(std::size_t column, const std::string& content, const char* name) const;

  std::vector<Heading> headings_;
  std::string rows_;
};

}  // namespace contextual::log_report
