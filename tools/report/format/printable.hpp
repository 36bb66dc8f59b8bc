#pragma once

/// \file
/// Text from logs that is safe to show.

#include <cstddef>
#include <string>
#include <string_view>

namespace contextual::log_report {

/// Returns `text` with visible escapes in the place of control characters, of characters that change the
/// writing direction, and of bytes that are no UTF-8. So a name from a log can neither move a terminal's
/// cursor nor turn a line around. What is behind `limit` bytes is left out, and the text says so.
std::string printable(std::string_view text, std::size_t limit = 16'384);

}  // namespace contextual::log_report
