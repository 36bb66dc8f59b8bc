#pragma once

/// \file
/// The lines of `rank-{i}.jsonl`, for programs. Pure.

#include "contextual/record/events.hpp"

#include <string>

namespace contextual::record {

/// Returns the event as one JSON object on one line, without a line end. An event always has the same fields
/// in the same order. A value that is unknown or not finite is null. Bytes that are not UTF-8 are replaced.
std::string to_json_line(const Event& event);

}  // namespace contextual::record
