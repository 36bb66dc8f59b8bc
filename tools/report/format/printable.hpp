#pragma once

/// \file
/// Text from logs, safe to show and in the columns of a terminal.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::log_report {

/// Returns `text` with visible escapes instead of control characters, characters that change the writing
/// direction, and bytes that are not UTF-8. A name from a log can therefore neither move a terminal's cursor
/// nor reverse a line. Text beyond `limit` bytes is left out, and the result says so.
std::string printable(std::string_view text, std::size_t limit = 16'384);

/// Returns the number of columns that printable UTF-8 takes in a terminal. East Asian wide characters take
/// two.
std::size_t columns_of(std::string_view text);

/// Returns `text` in at most `columns` columns; "..." replaces the end of one that is longer. Cuts between
/// characters. Fewer than 4 columns leave no room for the dots.
std::string shorten(std::string_view text, std::size_t columns);

/// Returns at least one and at most `max_lines` lines of at most `columns` columns, broken at spaces, else
/// between characters. If `max_lines` is too few, the last line ends with "...".
std::vector<std::string> wrap(std::string_view text, std::size_t columns, std::size_t max_lines = 1'000);

}  // namespace contextual::log_report
