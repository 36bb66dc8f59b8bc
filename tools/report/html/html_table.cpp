#include "report/html/html_table.hpp"

#include "report/html/html_text.hpp"

namespace contextual::log_report {

std::string HtmlTable::cell(std::size_t column, const std::string& content, const char* name) const {
  const Cells cells = headings_[column].cells;
  return element(name, content,
                 cells == Cells::number ? "class=\"number\""
                 : cells == Cells::wide ? "class=\"wide\""
                                        : "");
}

void HtmlTable::add(const std::vector<std::string>& cells, const std::string& css_class) {
  add_linked(escaped(cells.front()), {cells.begin() + 1, cells.end()}, css_class);
}

void HtmlTable::add_linked(const std::string& markup, const std::vector<std::string>& cells,
                           const std::string& css_class) {
  std::string row = cell(0, markup, "td");
  for (std::size_t i = 1; i < headings_.size(); ++i) {
    row += cell(i, i <= cells.size() ? escaped(cells[i - 1]) : "", "td");
  }
  rows_ += element("tr", row, css_class.empty() ? "" : "class=\"" + css_class + "\"") + "\n";
}

std::string HtmlTable::markup() const {
  std::string head;
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    head += cell(i, escaped(headings_[i].title), "th");
  }
  const std::string table = element("thead", element("tr", head)) + "\n" + element("tbody", "\n" + rows_);
  return element("div", element("table", table), "class=\"scroll\"") + "\n";
}

}  // namespace contextual::log_report
