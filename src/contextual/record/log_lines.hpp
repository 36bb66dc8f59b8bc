#pragma once

/// \file
/// The lines of `rank-{i}.jsonl`, for programs, and of `rank-{i}.log`, for people. Pure.

#include "contextual/record/events.hpp"

#include <string>
#include <string_view>

namespace contextual::record {

/// Returns the event as one JSON object on one line, without a line end. An event always has the same fields
/// in the same order. A value that is unknown or not finite is null. Bytes that are not UTF-8 are replaced.
std::string to_json_line(const Event& event);

/// Returns one line without a line end. Control characters in names and messages are escaped, so that an
/// event is never more than one line. Returns an empty text for an event that only programs need: people see
/// a ConfigSummary's average in the line of the config's last repeat.
std::string to_text(const Event& event);

/// Returns the text with control characters as escapes; everything else, also UTF-8, stays as it is.
std::string one_line(std::string_view text);

}  // namespace contextual::record
