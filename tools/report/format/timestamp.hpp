#pragma once

/// \file
/// Points in time as the logs write them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace contextual::log_report {

/// "2026-01-31T12:00:00Z" as seconds since 1970; empty for anything else.
std::optional<std::int64_t> seconds_of(std::string_view iso8601);

/// The reverse.
std::string iso8601_of(std::int64_t seconds);

}  // namespace contextual::log_report
