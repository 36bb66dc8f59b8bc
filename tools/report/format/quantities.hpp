#pragma once

/// \file
/// Times, ratios and counts as people read them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace contextual::log_report {

/// Returns e.g. "12.3 us", with at most four significant digits and in the unit that fits, or "?" if `ns` is
/// not finite.
std::string duration_text(double ns);

/// Returns e.g. "+3.2 %", always with the sign, or "?" if `fraction` is not finite.
std::string percent_text(double fraction);

/// Returns e.g. "12.3 x", or "?" if `factor` is not finite.
std::string factor_text(double factor);

/// Returns a rate with four significant digits, e.g. "687.2", "?" if it is not finite, or "" without a value.
std::string rate_text(const std::optional<double>& rate);

/// Returns e.g. "1 line" or "2 lines". Unless it is given, the plural is the singular with an "s".
std::string count_text(std::uint64_t count, std::string_view singular, std::string_view plural = {});

}  // namespace contextual::log_report
