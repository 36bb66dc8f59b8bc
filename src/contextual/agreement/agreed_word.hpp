#pragma once

/// \file
/// Encodes a time for a maximum over ranks, which keeps the worst of the ranks' words. Times of ranks whose
/// times count carry a high bit, which puts them above the times of other ranks. Those matter only if no rank
/// whose times count has launched the problem.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace contextual::agreement::agreed_word {

inline constexpr std::int64_t not_launched = -1;
inline constexpr std::int64_t launched = 0;
inline constexpr std::int64_t counts = std::int64_t{1} << 62;  ///< 146 years in nanoseconds
/// Instead of a makespan: no time of the iteration counts.
inline constexpr std::int64_t disturbed = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t no_time = disturbed - 1;
/// Above all times, because a time that some rank lacks is known on none.
inline constexpr std::int64_t untimed = no_time - 1;

/// Returns the word for the time of a launched problem or of a tuning iteration.
constexpr std::int64_t of(std::optional<std::int64_t> time_ns, bool times_count) {
  constexpr std::int64_t longest = (untimed & ~counts) - 1;
  if (!times_count) {
    return std::min(time_ns.value_or(launched), longest);
  }
  return time_ns && *time_ns <= longest ? *time_ns | counts : no_time;
}
constexpr std::int64_t not_timed(bool times_count) {
  return times_count ? untimed : untimed & ~counts;
}
constexpr bool is_untimed(std::int64_t word) {
  return (word | counts) == untimed && word > 0;
}

/// Returns the agreed time, or nothing if there is none.
constexpr std::optional<std::int64_t> time(std::int64_t word) {
  const std::int64_t time_ns = word & ~counts;
  return word > 0 && word < untimed && !is_untimed(word) && time_ns > 0 ? std::optional(time_ns)
                                                                        : std::nullopt;
}

}  // namespace contextual::agreement::agreed_word
