#include "contextual/record/choice_lines.hpp"

#include <algorithm>
#include <cctype>

namespace contextual::record {
namespace {

/// Below, nothing would be left of a line but its indentation.
constexpr std::size_t least_width = 40;

/// Returns how many characters "NAME: " has at the begin of `text`; 0 if that is no name of a part of a key.
std::size_t name_length(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
  const auto length = static_cast<std::size_t>(end - text.begin());
  return length > 0 && text.substr(length, 2) == ": " ? length + 2 : 0;
}

/// Returns "{512, 768}" for "{M: 512, N: 768}".
std::string without_names(std::string_view key) {
  std::string text;
  for (std::size_t i = 0; i < key.size();) {
    const bool part_begins = (i > 0 && key[i - 1] == '{') || (i > 1 && key.substr(i - 2, 2) == ", ");
    i += part_begins ? name_length(key.substr(i)) : 0;
    if (i < key.size()) {
      text += key[i++];
    }
  }
  return text;
}

}  // namespace

std::string choice_lines(const std::vector<ChoiceLine>& lines, std::size_t wanted_width) {
  const std::size_t width = std::max(wanted_width, least_width);
  std::vector<TextTable::Row> cells;
  std::vector<const TextTable::Row*> rows;
  cells.reserve(lines.size());
  for (const ChoiceLine& line : lines) {
    rows.push_back(&cells.emplace_back(
        TextTable::Row{line.kernel, line.key, line.config, line.time, line.gain, line.note}));
  }
  constexpr TextTable::Column way_giving{.gives_way = true};
  constexpr TextTable::Column number{.is_number = true};
  const std::vector<TextTable::Column> columns{way_giving, way_giving, way_giving, number, number, {}};
  if (!TextTable(columns, rows, width).has_room()) {
    for (TextTable::Row& row : cells) {
      row[1] = without_names(row[1]);
    }
  }
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
