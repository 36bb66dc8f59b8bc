#include "report/html/html_table.hpp"

#include "report/html/html_text.hpp"

namespace contextual::log_report {
namespace {

std::string cell(const Column& column, const std::string& content, const char* name) {
  return element(name, content,
                 column.align == Align::right     ? "class=\"number\""
                 : column.room == Room::gives_way ? "class=\"wide\""
                                                  : "");
}

std::string row_markup(const Table& table, const Table::Row& row) {
  std::string markup;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const std::string text = escaped(row.cells[i]);
    const bool linked = i == 0 && !row.anchor.empty();
    markup +=
        cell(table.columns[i], linked ? element("a", text, "href=\"#" + row.anchor + "\"") : text, "td");
  }
  return element("tr", markup,
                 row.tone == Tone::good  ? "class=\"chosen\""
                 : row.tone == Tone::bad ? "class=\"failed\""
                                         : "") +
         "\n";
}

}  // namespace

std::string table_markup(const Table& table) {
  std::string head;
  for (const Column& column : table.columns) {
    head += cell(column, escaped(column.title), "th");
  }
  std::string rows;
  for (const Table::Row& row : table.rows) {
    rows += row_markup(table, row);
  }
  const std::string markup = element("thead", element("tr", head)) + "\n" + element("tbody", "\n" + rows);
  return element("div", element("table", markup), "class=\"scroll\"") + "\n";
}

}  // namespace contextual::log_report
