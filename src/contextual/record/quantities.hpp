#pragma once

/// \file
/// Times, changes, rates and progress as texts for people. Pure.

#include "contextual/record/events.hpp"

#include <contextual/metrics.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace contextual::record {

/// Returns a number by a format of printf for one double.
std::string formatted(const char* format, double number);

/// Returns a duration for people, with two or three digits: "1.2 s", "350 ms", "12 us" or "3 min 20 s".
std::string format_duration(std::int64_t duration_ns);
/// Returns a latency for people, in ms as everywhere in the log, with four digits: "0.1234 ms".
std::string format_latency(double latency_ns);
/// Returns a time for people, with three digits: "1.36 ms", "59.6 us", "812 ns" or "2.10 s".
std::string short_time(double time_ns);

/// Returns a change for people: "-82.3 %". Has more decimals where it would read as -100 % and is less.
std::string percent(double fraction, int decimals = 1);
/// The same in whole percent: "-82 %", "+7 %", "-99.7 %" or "0 %".
std::string short_percent(double fraction);

/// Returns own time and rates, by the work of a problem's launches; without rates if there is no work, and
/// without anything if there is no time. Throws nothing for work that launches have told.
KernelMetrics metrics_of(const KernelWork& work, double time_ns);
/// Returns e.g. "687.2 TFLOP/s, 503.3 GB/s", or an empty text if no rate is known.
std::string rates_text(const KernelMetrics& metrics);

/// Estimates the time left in ns, assuming that the remaining iterations take as long as those done on
/// average. Returns nothing before the first iteration is done, and 0 if more are done than were expected.
std::optional<std::int64_t> estimate_left_ns(std::int64_t iterations_done, std::int64_t iterations_expected,
                                             std::int64_t elapsed_ns);
/// Returns e.g. "[contextual] ag_gemm: walk 24 of at most 96 | 3 problems | 1.2 s, at most 3.6 s left",
/// without a line end.
std::string format_progress(std::string_view region, const Progress& progress);

}  // namespace contextual::record
