#include "report/text/text_table.hpp"

#include "report/format/columns.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace contextual::log_report {
namespace {

constexpr std::size_t gap = 2;

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

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

std::vector<std::size_t> TextTable::widths(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = columns_of(columns_[i].title);
    for (const Row& row : rows_) {
      widest = std::max(widest, columns_of(row.cells[i]));
    }
    widths.push_back(widest);
  }
  const std::size_t available = width - std::min(width, gap * (columns_.size() - 1));
  std::size_t used = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  while (used > available) {
    const std::optional<std::size_t> widest = widest_that_gives_way(widths);
    if (!widest) {
      break;
    }
    const std::size_t room = widths[*widest] - columns_[*widest].min_width;
    const std::size_t step = std::min({used - available, room, std::max<std::size_t>(1, room / 2)});
    widths[*widest] -= step;
    used -= step;
  }
  return widths;
}

std::optional<std::size_t> TextTable::widest_that_gives_way(const std::vector<std::size_t>& widths) const {
  std::optional<std::size_t> widest;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t least = columns_[i].min_width;
    if (least > 0 && widths[i] > least && (!widest || widths[i] > widths[*widest])) {
      widest = i;
    }
  }
  return widest;
}

void TextTable::write(std::string& out, const Row& row, const Layout& layout) const {
  const std::vector<std::size_t>& widths = layout.widths;
  std::string line(layout.indent, ' ');
  std::size_t last_begin = layout.indent;
  for (std::size_t i = 0; i + 1 < row.cells.size(); ++i) {
    const std::string cell = shorten(row.cells[i], widths[i]);
    const std::string padding(widths[i] - std::min(widths[i], columns_of(cell)), ' ');
    line += columns_[i].align == Align::right ? padding + cell : cell + padding;
    line += std::string(gap, ' ');
    last_begin += widths[i] + gap;
  }
  const std::string& last = row.cells.back();
  const std::vector<std::string> lines =
      last_lines_ > 1 ? wrap(last, std::max<std::size_t>(widths.back(), 8), last_lines_)
                      : std::vector{shorten(last, widths.back())};
  const bool pad = columns_.back().align == Align::right && lines.size() == 1;
  line +=
      (pad ? std::string(widths.back() - std::min(widths.back(), columns_of(lines[0])), ' ') : "") + lines[0];
  // Columns that may not be made narrower can still be too many for the line.
  out += painted(shorten(trimmed(std::move(line)), layout.line), row.colour, layout.colour) + "\n";
  for (std::size_t i = 1; i < lines.size(); ++i) {
    out += painted(shorten(std::string(last_begin, ' ') + lines[i], layout.line), row.colour, layout.colour) +
           "\n";
  }
}

std::string TextTable::text(std::size_t width, std::size_t indent, bool colour) const {
  const Layout layout{widths(width - std::min(width, indent)), width, indent, colour};
  std::string out;
  Row titles;
  titles.colour = Colour::dim;
  bool any_title = false;
  for (const Column& column : columns_) {
    titles.cells.push_back(column.title);
    any_title = any_title || !column.title.empty();
  }
  if (any_title) {
    write(out, titles, layout);
  }
  for (const Row& row : rows_) {
    write(out, row, layout);
  }
  return out;
}

}  // namespace contextual::log_report
