#pragma once

/// \file
/// Progress as text, with an estimate of the time left. Pure.

#include "contextual/record/events.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace contextual::record {

/// The time left if the iterations to come take as long as those done on average, in ns. Empty before the
/// first iteration is done; 0 when more are done than were expected.
std::optional<std::int64_t> estimate_left_ns(std::int64_t iterations_done, std::int64_t iterations_expected,
                                             std::int64_t elapsed_ns);

/// "1.2 s", "350 ms", "12 us", "3 min 20 s": a duration for people, two or three digits.
std::string format_duration(std::int64_t duration_ns);

/// "0.1234 ms": a latency for people, in ms as in the log's other lines, four digits.
std::string format_latency(double latency_ns);

/// "[contextual] ag_gemm: walk 24/96 | 3 problems | 1.2 s, about 4.1 s left", without a line end.
std::string format_progress(std::string_view region, const Progress& progress);

}  // namespace contextual::record
