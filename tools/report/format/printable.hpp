#pragma once

/// \file
/// Text from logs, safe to show and in the columns of a terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace contextual::log_report {

/// Returns `text` with visible escapes instead of control characters, characters that change the writing
/// direction, and bytes that are not UTF-8. A name from a log can therefore neither move a terminal's cursor
/// nor reverse a line. Text beyond `limit` bytes is left out, and the result says so.
std::string printable(std::string_view text, std::size_t limit = 16'384);

/// Returns `text` in at most `columns` columns; "..." replaces the end of one that is longer. Cuts between
/// characters. Fewer than 4 columns leave no room for the dots.
std::string shorten(std::string_view text, std::size_t columns);

}  // namespace contextual::log_report
