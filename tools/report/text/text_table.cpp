#include "report/text/text_table.hpp"

#include "report/format/printable.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace contextual::log_report {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t hanging = 4;  ///< spaces before what belongs to the line above
constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

/// The columns that the widest cell of a column takes, of those that take at most `most`.
std::size_t widest_cell(const Table& table, std::size_t column, std::size_t most = everything) {
  std::size_t widest = 0;
  for (const Table::Row& row : table.rows) {
    const std::size_t columns = columns_of(row.cells[column]);
    widest = columns <= most ? std::max(widest, columns) : widest;
  }
  return widest;
}

/// With the gap behind it.
std::size_t whole_width(const Table& table, std::size_t column) {
  return std::max(widest_cell(table, column), columns_of(table.columns[column].title)) + gap;
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

/// How wide the columns are, and with that which cells stand in them.
class Layout {
 public:
  Layout(const Table& table, std::size_t width, std::size_t indent, bool colour)
      : table_(table), width_(width), indent_(indent), colour_(colour) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      rooms_.push_back(widest_cell(table, i));
    }
    // The last columns give way first. The first ones come back as far as there is room again.
    for (std::size_t i = rooms_.size(); i-- > 0;) {
      make_room(i);
    }
    for (std::size_t i = 0; i < rooms_.size(); ++i) {
      make_room(i);
    }
  }

  std::string text() const {
    std::vector<std::string> titles;
    for (const Column& column : table_.columns) {
      titles.push_back(column.title);
    }
    std::string text = wrapped(line_of(titles), Tone::dim, indent_);
    for (const Table::Row& row : table_.rows) {
      text += lines_of(row);
    }
    return text;
  }

 private:
  bool gives_way(std::size_t column) const { return table_.columns[column].room == Room::gives_way; }

  /// 0 for a column that has given way with all of its cells.
  std::size_t width_of(std::size_t column) const {
    const bool gone = gives_way(column) && rooms_[column] == 0;
    return gone ? 0 : std::max(rooms_[column], columns_of(table_.columns[column].title));
  }

  bool fits() const {
    std::size_t used = indent_;
    for (std::size_t i = 0; i < rooms_.size(); ++i) {
      used += width_of(i) == 0 ? 0 : width_of(i) + gap;
    }
    return used <= width_ + gap;
  }

  void make_room(std::size_t column) {
    if (gives_way(column)) {
      rooms_[column] = widest_cell(table_, column);
      while (!fits() && rooms_[column] > 0) {
        rooms_[column] = widest_cell(table_, column, rooms_[column] - 1);
      }
    }
  }

  std::string lines_of(const Table::Row& row) const {
    std::vector<std::string> cells = row.cells;
    std::string below;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (gives_way(i) && columns_of(cells[i]) > rooms_[i]) {
        const std::string& title = table_.columns[i].title;
        below += i == 0 ? ""
                        : wrapped((title.empty() ? "" : title + ": ") + cells[i], row.tone, indent_ + hanging,
                                  hanging);
        cells[i].clear();
      }
    }
    const bool begins_above = cells[0] != row.cells[0];
    return (begins_above ? wrapped(row.cells[0], row.tone, indent_, hanging) : "") +
           wrapped(line_of(cells), row.tone, indent_) + below;
  }

  /// Without those of columns that are gone.
  std::string line_of(const std::vector<std::string>& cells) const {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (width_of(i) > 0) {
        const std::string padding(width_of(i) - std::min(width_of(i), columns_of(cells[i])), ' ');
        line += table_.columns[i].align == Align::right ? padding + cells[i] : cells[i] + padding;
        line += std::string(gap, ' ');
      }
    }
    return line.erase(line.find_last_not_of(' ') + 1);
  }

  /// Lines after the first one have `more` spaces more in front. Nothing for a text without a character.
  std::string wrapped(const std::string& text, Tone tone, std::size_t indent, std::size_t more = 0) const {
    std::string lines;
    for (const std::string& line : wrap(text, width_ - std::min(width_, indent + more))) {
      const std::string spaces(lines.empty() ? indent : indent + more, ' ');
      lines += line.empty() ? "" : painted(spaces + line, tone, colour_) + "\n";
    }
    return lines;
  }

  const Table& table_;
  std::size_t width_;
  std::size_t indent_;
  bool colour_;
  std::vector<std::size_t> rooms_;  ///< of the widest cell that stands in each column
};

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
  for (const Table& part : parts_of(without_minor(table, room), room)) {
    text += (text.empty() ? "" : "\n") + Layout(part, width, indent, colour).text();
  }
  return text;
}

}  // namespace contextual::log_report
