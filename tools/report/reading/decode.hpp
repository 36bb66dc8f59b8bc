#pragma once

/// \file
/// Decodes one line of `rank-N.jsonl` to an event.

#include "report/reading/logs.hpp"

#include <optional>
#include <stdexcept>
#include <string_view>

namespace contextual::log_report {

/// A line cannot be used. what() is the reason, printable and short.
class DamagedLine : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws DamagedLine if the line is not JSON, lacks a needed field, or has a known field with another type
/// or out of range. A null counts as absent. Returns nothing for an event that this program does not know.
std::optional<Event> decode_line(std::string_view line, TextPool& pool);

}  // namespace contextual::log_report
