#include "contextual/record/choice_lines.hpp"

#include <algorithm>

namespace contextual::record {
namespace {

/// Below, nothing would be left of a line but its indentation.
constexpr std::size_t least_width = 40;

}  // namespace

std::string choice_lines(const std::vector<ChoiceLine>& lines, std::size_t wanted_width) {
  const std::size_t width = std::max(wanted_width, least_width);
  std::vector<TextTable::Row> cells;
  std::vector<const TextTable::Row*> rows;
  cells.reserve(lines.size());
  rows.reserve(lines.size());
  for (const ChoiceLine& line : lines) {
    rows.push_back(&cells.emplace_back(
        TextTable::Row{line.kernel, line.key, line.config, line.time, line.gain, line.note}));
  }
  constexpr TextTable::Column way_giving{.gives_way = true};
  constexpr TextTable::Column number{.is_number = true};
  const std::vector<TextTable::Column> columns{way_giving, way_giving, way_giving, number, number, {}};
  const TextTable table(columns, rows, width);
  std::string text;
  for (const TextTable::Row* row : rows) {
    for (const std::string& line : table.lines_of(*row)) {
      text += line + "\n";
    }
  }
  return text;
}

std::string wrapped(std::string_view text, std::size_t wanted_width) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    for (const std::string& line : wrap(text.substr(0, end), std::max(wanted_width, least_width), 4)) {
      out += line + "\n";
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace contextual::record
