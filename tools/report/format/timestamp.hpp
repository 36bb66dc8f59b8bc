#pragma once

/// \file
/// Points in time as the logs write them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace contextual::log_report {

/// Reads a time like "2026-01-31T12:00:00Z" as seconds since 1970. Returns nothing for any other text.
std::optional<std::int64_t> seconds_of(std::string_view iso8601);

/// Writes seconds since 1970 as `seconds_of` reads them.
std::string iso8601_of(std::int64_t seconds);

}  // namespace contextual::log_report
