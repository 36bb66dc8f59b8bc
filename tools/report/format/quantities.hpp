#pragma once

/// \file
/// Times, ratios and counts as people read them.

#include <cstdint>
#include <string>
#include <string_view>

namespace contextual::log_report {

/// "12.3 us": at most four significant digits, in the unit that fits. "?" for what is not finite.
std::string duration_text(double ns);

/// "+3.2 %", always with the sign. "?" for what is not finite.
std::string percent_text(double fraction);

/// "12.3 x". "?" for what is not finite.
std::string factor_text(double factor);

/// "1 line", "2 lines". The plural is the singular with an "s" unless it is given.
std::string count_text(std::uint64_t count, std::string_view singular, std::string_view plural = {});

}  // namespace contextual::log_report
