#include "contextual/record/choice_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

namespace contextual::record {
namespace {

constexpr std::string_view gap = "  ";
/// Below, nothing would be left of a line but its indentation.
constexpr std::size_t least_width = 40;

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

/// Returns how many bytes the first `columns` characters of `text` have.
std::size_t bytes_of(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  for (std::size_t begun = 0; bytes < text.size(); ++bytes) {
    if (begins_character(text[bytes]) && begun++ == columns) {
      break;
    }
  }
  return bytes;
}

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

struct TextColumn {
  std::string ChoiceLine::*text;
  bool is_number = false;
};

constexpr std::array<TextColumn, 6> text_columns{{{&ChoiceLine::kernel},
                                                  {&ChoiceLine::key},
                                                  {&ChoiceLine::config},
                                                  {&ChoiceLine::time, true},
                                                  {&ChoiceLine::gain, true},
                                                  {&ChoiceLine::note}}};

/// The lines of one report, in columns that fit.
class Columns {
 public:
  Columns(std::vector<ChoiceLine> lines, std::size_t width) : lines_(std::move(lines)), width_(width) {
    rooms_.fill(std::numeric_limits<std::size_t>::max());
    measure();
    if (excess() > 0) {
      for (ChoiceLine& line : lines_) {
        line.key = without_names(line.key);
      }
      measure();
    }
    // The last two come back as far as there is room again.
    for (const std::size_t column : {config_column, key_column, kernel_column, key_column, config_column}) {
      make_room(column);
    }
  }

  std::string text() const {
    std::string text;
    for (const ChoiceLine& line : lines_) {
      text += text_of(line);
    }
    return text;
  }

 private:
  static constexpr std::size_t kernel_column = 0;
  static constexpr std::size_t key_column = 1;
  static constexpr std::size_t config_column = 2;

  bool stands_apart(const ChoiceLine& line, std::size_t column) const {
    return column_count(line.*text_columns[column].text) > rooms_[column];
  }

  /// What is in the column itself.
  std::string cell_of(const ChoiceLine& line, std::size_t column) const {
    return stands_apart(line, column) ? "" : line.*text_columns[column].text;
  }

  void measure() {
    for (std::size_t column = 0; column < text_columns.size(); ++column) {
      widths_[column] = 0;
      for (const ChoiceLine& line : lines_) {
        widths_[column] = std::max(widths_[column], column_count(cell_of(line, column)));
      }
    }
  }

  /// By how much the columns are too wide together.
  std::size_t excess() const {
    std::size_t used = 0;
    for (const std::size_t width : widths_) {
      used += width == 0 ? 0 : width + (used == 0 ? 0 : gap.size());
    }
    return used - std::min(used, width_);
  }

  /// What is too long for the column then has lines of its own.
  void make_room(std::size_t column) {
    rooms_[column] = std::numeric_limits<std::size_t>::max();
    measure();
    rooms_[column] = widths_[column] - std::min(widths_[column], excess());
    measure();
  }

  /// The cells in their columns, those that stand apart left blank.
  std::string row_of(const ChoiceLine& line) const {
    std::string text;
    for (std::size_t column = 0; column < text_columns.size(); ++column) {
      if (widths_[column] == 0) {
        continue;
      }
      const std::string cell = cell_of(line, column);
      const std::string padding(widths_[column] - column_count(cell), ' ');
      text += text.empty() ? "" : gap;
      text += text_columns[column].is_number ? padding + cell : cell + padding;
    }
    return text.erase(text.find_last_not_of(' ') + 1);
  }

  std::string text_of(const ChoiceLine& line) const {
    std::string text = stands_apart(line, kernel_column) ? wrapped(line.kernel, width_) : "";
    if (const std::string row = row_of(line); !row.empty()) {
      text += wrapped(row, width_);
    }
    for (const std::size_t column : {key_column, config_column}) {
      text += stands_apart(line, column) ? wrapped("    " + line.*text_columns[column].text, width_) : "";
    }
    return text;
  }

  std::vector<ChoiceLine> lines_;
  std::size_t width_;
  std::array<std::size_t, text_columns.size()> widths_{};
  std::array<std::size_t, text_columns.size()> rooms_{};
};

}  // namespace

std::size_t column_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string choice_lines(std::vector<ChoiceLine> lines, std::size_t width) {
  return Columns(std::move(lines), width).text();
}

std::string short_time(double time_ns) {
  constexpr std::array<std::pair<double, const char*>, 3> units{{{1.0, "ns"}, {1e3, "us"}, {1e6, "ms"}}};
  double number = time_ns / 1e9;
  const char* unit = "s";
  for (const auto& [size, name] : units) {
    if (time_ns < 999.5 * size) {
      number = time_ns / size;
      unit = name;
      break;
    }
  }
  const int decimals = time_ns < 999.5 ? 0 : number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, number, unit);
  return text.data();
}

std::string short_percent(double fraction) {
  return std::round(100 * fraction) == 0 ? "0 %" : percent(fraction, 0);
}

std::string percent(double fraction, int decimals) {
  constexpr int most_decimals = 6;
  std::array<char, 48> text{};
  do {
    std::snprintf(text.data(), text.size(), "%+.*f %%", decimals, 100 * fraction);
  } while (fraction > -1 && std::atof(text.data()) <= -100 && ++decimals <= most_decimals);
  return text.data();
}

std::string wrapped(std::string_view text, std::size_t wanted_width) {
  const std::size_t width = std::max(wanted_width, least_width);
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(std::min(begin + 4, width / 2), ' ');
    while (column_count(line) > width) {
      const std::size_t limit = bytes_of(line, width);
      std::size_t space = line.rfind(' ', limit);
      if (space == std::string::npos || space < indent.size()) {
        space = limit;
      }
      out += line.substr(0, space) + "\n";
      const std::size_t rest = std::min(line.find_first_not_of(' ', space), line.size());
      line.replace(0, rest, indent);
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace contextual::record
