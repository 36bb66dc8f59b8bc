#include "report/format/table.hpp"

#include <algorithm>
#include <numeric>

namespace contextual::log_report {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t in_every_part = 1'000'000;
constexpr std::size_t in_no_part = in_every_part + 1;

/// The tables into which a wide one is divided.
struct Parts {
  std::vector<std::size_t> of_columns;  ///< which part has the column
  std::size_t count = 1;
};

/// With the gap behind it.
std::size_t whole_width(const Table& table, std::size_t column) {
  std::size_t widest = record::column_count(table.columns[column].title);
  for (const Table::Row& row : table.rows) {
    widest = std::max(widest, record::column_count(row.cells[column]));
  }
  return widest + gap;
}

/// A part has as many columns of those that go by blocks as have room beside the others, and at least one.
/// Minor columns are left out unless there is room for all.
Parts parts_of(const Table& table, std::size_t room) {
  std::vector<std::size_t> widths(table.columns.size());
  for (std::size_t i = 0; i < widths.size(); ++i) {
    widths[i] = whole_width(table, i);
  }
  const bool all_fit = std::accumulate(widths.begin(), widths.end(), std::size_t{0}) <= room + gap;
  Parts parts{std::vector<std::size_t>(widths.size(), in_every_part)};
  std::size_t beside = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const Room kind = table.columns[i].room;
    if (kind == Room::minor && !all_fit) {
      parts.of_columns[i] = in_no_part;
    } else if (kind != Room::by_blocks) {
      beside += widths[i];
    }
  }
  std::size_t used = beside;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (table.columns[i].room == Room::by_blocks) {
      if (used > beside && used + widths[i] > room + gap) {
        ++parts.count;
        used = beside;
      }
      parts.of_columns[i] = parts.count - 1;
      used += widths[i];
    }
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
  const Parts parts = parts_of(table, width - std::min(width, indent));
  for (std::size_t part = 0; part < parts.count; ++part) {
    std::vector<record::TextTable::Column> columns;
    std::vector<record::TextTable::Row> rows(table.rows.size());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (parts.of_columns[i] == part || parts.of_columns[i] == in_every_part) {
        const Column& column = table.columns[i];
        columns.push_back({column.title, column.align == Align::right, column.room == Room::gives_way});
        for (std::size_t row = 0; row < rows.size(); ++row) {
          rows[row].push_back(table.rows[row].cells[i]);
        }
      }
    }
    std::vector<const record::TextTable::Row*> all;
    for (const record::TextTable::Row& row : rows) {
      all.push_back(&row);
    }
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
