#pragma once

/// \file
/// Encodes a time for a maximum over ranks, which keeps the worst of the ranks' words.

#include <cstdint>
#include <limits>
#include <optional>

namespace contextual::agreement::agreed_word {

inline constexpr std::int64_t not_launched = -1;
/// Instead of a makespan: no time of the iteration counts.
inline constexpr std::int64_t disturbed = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t no_time = disturbed - 1;
/// Above all times, because a time that some rank lacks is known on none.
inline constexpr std::int64_t untimed = no_time - 1;

/// Returns the word for the time, which is not negative, of a launched problem or of a tuning iteration.
constexpr std::int64_t of(std::optional<std::int64_t> time_ns) {
  return time_ns && *time_ns < untimed ? *time_ns : no_time;
}

/// Returns the agreed time, or nothing if there is none.
constexpr std::optional<std::int64_t> time(std::int64_t word) {
  return word > 0 && word < untimed ? std::optional(word) : std::nullopt;
}

}  // namespace contextual::agreement::agreed_word
