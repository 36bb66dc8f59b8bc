#include "report/text/text_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace contextual::log_report {
namespace {

constexpr std::size_t gap = 2;

/// With the gap behind it.
std::size_t whole_width(const Table& table, std::size_t column) {
  std::size_t widest = record::column_count(table.columns[column].title);
  for (const Table::Row& row : table.rows) {
    widest = std::max(widest, record::column_count(row.cells[column]));
  }
  return widest + gap;
}

/// The columns of each table into which this one is divided: as many of those that go by blocks as have room
/// beside the others, and at least one. Minor ones are left out unless there is room for all.
std::vector<std::vector<std::size_t>> parts_of(const Table& table, std::size_t room) {
  std::size_t all = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    all += whole_width(table, i);
  }
  std::vector<std::size_t> others;
  std::vector<std::size_t> by_blocks;
  std::size_t beside = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Room kind = table.columns[i].room;
    if (kind == Room::by_blocks) {
      by_blocks.push_back(i);
    } else if (kind != Room::minor || all <= room + gap) {
      others.push_back(i);
      beside += whole_width(table, i);
    }
  }
  std::vector<std::vector<std::size_t>> parts{others};
  std::size_t used = beside;
  for (const std::size_t i : by_blocks) {
    if (parts.back().size() > others.size() && used + whole_width(table, i) > room + gap) {
      parts.push_back(others);
      used = beside;
    }
    parts.back().push_back(i);
    used += whole_width(table, i);
  }
  for (std::vector<std::size_t>& part : parts) {
    std::sort(part.begin(), part.end());
  }
  return parts;
}

}  // namespace

std::string table_text(const Table& table, std::size_t width, std::size_t indent) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      text += line + "\n";
    }
  };
  for (const std::vector<std::size_t>& part : parts_of(table, width - std::min(width, indent))) {
    std::vector<record::TextTable::Column> columns;
    std::vector<record::TextTable::Row> rows(table.rows.size());
    for (const std::size_t i : part) {
      const Column& column = table.columns[i];
      columns.push_back({column.title, column.align == Align::right, column.room == Room::gives_way});
      for (std::size_t row = 0; row < rows.size(); ++row) {
        rows[row].push_back(table.rows[row].cells[i]);
      }
    }
    std::vector<const record::TextTable::Row*> all;
    std::transform(rows.begin(), rows.end(), std::back_inserter(all), [](const auto& row) { return &row; });
    const record::TextTable layout(std::move(columns), std::move(all), width, indent);
    text += text.empty() ? "" : "\n";
    add(layout.title_lines());
    for (const record::TextTable::Row& row : rows) {
      add(layout.lines_of(row));
    }
  }
  return text;
}

}  // namespace contextual::log_report
