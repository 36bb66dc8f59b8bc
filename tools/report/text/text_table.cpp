#include "report/text/text_table.hpp"

#include <algorithm>
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

Table only(const Table& table, const std::vector<std::size_t>& columns) {
  Table part;
  for (const std::size_t column : columns) {
    part.columns.push_back(table.columns[column]);
  }
  for (const Table::Row& row : table.rows) {
    std::vector<std::string> cells;
    for (const std::size_t column : columns) {
      cells.push_back(row.cells[column]);
    }
    part.add(std::move(cells), row.tone);
  }
  return part;
}

/// The table without its minor columns, unless there is room for all.
Table without_minor(const Table& table, std::size_t width) {
  std::size_t used = 0;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    used += whole_width(table, i);
    if (table.columns[i].room != Room::minor) {
      others.push_back(i);
    }
  }
  return used <= width + gap ? table : only(table, others);
}

/// Each part has as many of the columns that go by blocks as have room beside the others, and at least one.
std::vector<Table> parts_of(const Table& table, std::size_t width) {
  std::vector<std::size_t> others;
  std::size_t used_by_others = 0;
  std::vector<std::vector<std::size_t>> blocks;
  std::size_t used = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].room != Room::by_blocks) {
      others.push_back(i);
      used_by_others += whole_width(table, i);
    }
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].room == Room::by_blocks) {
      used += whole_width(table, i);
      if (blocks.empty() || used_by_others + used > width + gap) {
        blocks.emplace_back();
        used = whole_width(table, i);
      }
      blocks.back().push_back(i);
    }
  }
  std::vector<Table> parts;
  for (std::vector<std::size_t>& block : blocks) {
    block.insert(block.end(), others.begin(), others.end());
    std::sort(block.begin(), block.end());
    parts.push_back(only(table, block));
  }
  return parts.empty() ? std::vector{table} : parts;
}

}  // namespace

std::string painted(const std::string& text, Tone tone, bool on) {
  if (!on || tone == Tone::none || text.empty()) {
    return text;
  }
  const char* code = tone == Tone::bold ? "1" : tone == Tone::dim ? "2" : tone == Tone::good ? "32" : "31";
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

std::string table_text(const Table& table, std::size_t width, std::size_t indent, bool colour) {
  const std::size_t room = width - std::min(width, indent);
  std::string text;
  const auto add = [&](const std::vector<std::string>& lines, Tone tone) {
    for (const std::string& line : lines) {
      text += painted(line, tone, colour) + "\n";
    }
  };
  for (const Table& part : parts_of(without_minor(table, room), room)) {
    std::vector<record::TextTable::Column> columns;
    for (const Column& column : part.columns) {
      columns.push_back({column.title, column.align == Align::right, column.room == Room::gives_way});
    }
    std::vector<const record::TextTable::Row*> rows;
    for (const Table::Row& row : part.rows) {
      rows.push_back(&row.cells);
    }
    const record::TextTable layout(std::move(columns), std::move(rows), width, indent);
    text += text.empty() ? "" : "\n";
    add(layout.title_lines(), Tone::dim);
    for (const Table::Row& row : part.rows) {
      add(layout.lines_of(row.cells), row.tone);
    }
  }
  return text;
}

}  // namespace contextual::log_report
