#include "report/text/text_table.hpp"

#include "report/format/columns.hpp"

#include <algorithm>
#include <limits>

namespace contextual::log_report {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t hanging = 4;  ///< spaces before what belongs to the line above

}  // namespace

std::string painted(const std::string& text, Colour colour, bool on) {
  if (!on || colour == Colour::none || text.empty()) {
    return text;
  }
  const char* code = colour == Colour::bold   ? "1"
                     : colour == Colour::dim  ? "2"
                     : colour == Colour::good ? "32"
                                              : "31";
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

void TextTable::add(std::vector<std::string> cells, Colour colour) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), colour});
}

/// How wide the columns are, and with that which cells stand in them.
class TextTable::Layout {
 public:
  Layout(const TextTable& table, std::size_t width, std::size_t indent, bool colour)
      : table_(table), width_(width), indent_(indent), colour_(colour) {
    for (std::size_t i = 0; i < table.columns_.size(); ++i) {
      rooms_.push_back(widest_cell(i, std::numeric_limits<std::size_t>::max()));
    }
    // The last columns give way first. The first ones come back as far as there is room again.
    for (std::size_t i = rooms_.size(); i-- > 0;) {
      make_room(i);
    }
    for (std::size_t i = 0; i < rooms_.size(); ++i) {
      make_room(i);
    }
  }

  std::string lines_of(const Row& row) const {
    std::vector<std::string> cells = row.cells;
    std::string below;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (table_.columns_[i].gives_way && columns_of(cells[i]) > rooms_[i]) {
        const std::string& title = table_.columns_[i].title;
        below += i == 0 ? ""
                        : wrapped((title.empty() ? "" : title + ": ") + cells[i], row.colour,
                                  indent_ + hanging, hanging);
        cells[i].clear();
      }
    }
    const bool begins_above = cells[0] != row.cells[0];
    return (begins_above ? wrapped(row.cells[0], row.colour, indent_, hanging) : "") +
           wrapped(line_of(cells), row.colour, indent_) + below;
  }

  std::string titles() const {
    std::vector<std::string> titles;
    for (const Column& column : table_.columns_) {
      titles.push_back(column.title);
    }
    return wrapped(line_of(titles), Colour::dim, indent_);
  }

 private:
  /// The columns of the widest cell that has at most `most` of them.
  std::size_t widest_cell(std::size_t column, std::size_t most) const {
    std::size_t widest = 0;
    for (const Row& row : table_.rows_) {
      const std::size_t columns = columns_of(row.cells[column]);
      widest = columns <= most ? std::max(widest, columns) : widest;
    }
    return widest;
  }

  /// 0 for a column that has given way with all of its cells.
  std::size_t width_of(std::size_t column) const {
    const bool gone = table_.columns_[column].gives_way && rooms_[column] == 0;
    return gone ? 0 : std::max(rooms_[column], columns_of(table_.columns_[column].title));
  }

  bool fits() const {
    std::size_t used = indent_;
    for (std::size_t i = 0; i < rooms_.size(); ++i) {
      used += width_of(i) == 0 ? 0 : width_of(i) + (used == indent_ ? 0 : gap);
    }
    return used <= width_;
  }

  void make_room(std::size_t column) {
    if (table_.columns_[column].gives_way) {
      rooms_[column] = widest_cell(column, std::numeric_limits<std::size_t>::max());
      while (!fits() && rooms_[column] > 0) {
        rooms_[column] = widest_cell(column, rooms_[column] - 1);
      }
    }
  }

  /// Without those of columns that are gone.
  std::string line_of(const std::vector<std::string>& cells) const {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (width_of(i) > 0) {
        const std::string padding(width_of(i) - std::min(width_of(i), columns_of(cells[i])), ' ');
        line += table_.columns_[i].align == Align::right ? padding + cells[i] : cells[i] + padding;
        line += std::string(gap, ' ');
      }
    }
    return line.erase(line.find_last_not_of(' ') + 1);
  }

  /// Lines after the first one have so many spaces `more` in front. Nothing for a text without a character.
  std::string wrapped(const std::string& text, Colour colour, std::size_t indent,
                      std::size_t more = 0) const {
    std::string lines;
    for (const std::string& line : wrap(text, width_ - std::min(width_, indent + more))) {
      const std::string spaces(lines.empty() ? indent : indent + more, ' ');
      lines += line.empty() ? "" : painted(spaces + line, colour, colour_) + "\n";
    }
    return lines;
  }

  const TextTable& table_;
  std::size_t width_;
  std::size_t indent_;
  bool colour_;
  std::vector<std::size_t> rooms_;  ///< of the widest cell that stands in each column
};

std::string TextTable::text(std::size_t width, std::size_t indent, bool colour) const {
  const Layout layout(*this, width, indent, colour);
  std::string out = layout.titles();
  for (const Row& row : rows_) {
    out += layout.lines_of(row);
  }
  return out;
}

}  // namespace contextual::log_report
