#pragma once

/// \file
/// How a time travels in a MAX over ranks. MAX keeps the worst of what the ranks say. Times of ranks whose
/// times count carry a bit that puts them above those of the others, which so have a say only where no rank
/// whose times count has one.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace contextual::agreement::agreed_word {

inline constexpr std::int64_t not_launched = -1;
inline constexpr std::int64_t launched = 0;
inline constexpr std::int64_t counts = std::int64_t{1} << 62;  ///< 146 years in nanoseconds
/// In a makespan's place: no time of the iteration counts.
inline constexpr std::int64_t disturbed = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t no_time = disturbed - 1;

/// Of a launched problem, or of a tuning iteration.
constexpr std::int64_t of(std::optional<std::int64_t> time_ns, bool times_count) {
  if (!times_count) {
    return std::min(time_ns.value_or(launched), counts - 1);
  }
  return time_ns && *time_ns < counts - 1 ? *time_ns | counts : no_time;
}

/// Empty where no time was agreed on.
constexpr std::optional<std::int64_t> time(std::int64_t word) {
  const std::int64_t time_ns = word & ~counts;
  return word > 0 && word < no_time && time_ns > 0 ? std::optional(time_ns) : std::nullopt;
}

}  // namespace contextual::agreement::agreed_word
