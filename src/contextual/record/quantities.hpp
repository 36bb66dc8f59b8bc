#pragma once

/// \file
/// Numbers, times, changes and rates as texts for people, the same in any locale. Pure.

#include <contextual/metrics.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace contextual::record {

/// Returns a number with so many decimals: "12.30".
std::string fixed(double number, int decimals);
/// Returns a number with at most so many digits: "0.1234".
std::string with_digits(double number, int digits);
/// Returns how many there are of something: "1 run" or "2 runs".
std::string counted(std::size_t count, const std::string& what);

/// Returns a duration for people, with two or three digits: "1.2 s", "350 ms", "12 us" or "3 min 20 s".
std::string format_duration(std::int64_t duration_ns);
/// Returns a latency for people, in ms as everywhere in the log, with four digits: "0.1234 ms".
std::string format_latency(double latency_ns);
/// Returns a time for people, with three digits: "1.36 ms", "59.6 us", "812 ns" or "2.10 s".
std::string short_time(double time_ns);

/// Returns a share for people: "82.3 %".
std::string share(double fraction);
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

}  // namespace contextual::record
