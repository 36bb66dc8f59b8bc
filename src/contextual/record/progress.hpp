#pragma once

/// \file
/// Progress as text, with an estimate of the time left. Pure.

#include "contextual/record/events.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace contextual::record {

/// Estimates the time left in ns, assuming that the remaining iterations take as long as those done on
/// average. Returns nothing before the first iteration is done, and 0 if more are done than were expected.
std::optional<std::int64_t> estimate_left_ns(std::int64_t iterations_done, std::int64_t iterations_expected,
                                             std::int64_t elapsed_ns);

/// Returns a duration for people, with two or three digits: "1.2 s", "350 ms", "12 us" or "3 min 20 s".
std::string format_duration(std::int64_t duration_ns);

/// Returns a latency for people, in ms as everywhere in the log, with four digits: "0.1234 ms".
std::string format_latency(double latency_ns);

/// Returns e.g. "[contextual] ag_gemm: walk 24 of at most 96 | 3 problems | 1.2 s, at most 3.6 s left",
/// without a line end.
std::string format_progress(std::string_view region, const Progress& progress);

}  // namespace contextual::record
