#pragma once

/// \file
/// Computes times of launches and tuning iterations from device records. Pure.

#include "contextual/cuda/cupti/cupti_session.hpp"

#include <contextual/timer.hpp>

#include <span>

namespace contextual::cuda {

/// Makes the note of a launch that has begun: its number, and the number of the launch that encloses it, or
/// -1. `end` is negative until the launch has ended.
constexpr LaunchNote begun_note(std::int64_t launch, std::int64_t enclosing) noexcept {
  return {launch, -(enclosing + 2)};
}
constexpr LaunchNote ended_note(const LaunchNote& begun) noexcept {
  return {begun.begin, -begun.end};
}
constexpr bool has_ended(const LaunchNote& note) noexcept {
  return note.end > 0;
}
constexpr std::int64_t enclosing_launch(const LaunchNote& note) noexcept {
  return (note.end < 0 ? -note.end : note.end) - 2;
}

/// Fills in the spans of launches: the records of all driver calls that were made inside a launch or inside a
/// launch that it encloses. The `begin` of a launch's note is its number. A launch gets no spans if it never
/// ended, made no call, has a kernel call without a record, or has a record without a time. Nor does one that
/// launched a graph of which some records name no call, as those of the bodies of conditional nodes, because
/// they may be of it; its iteration then has no makespan either. It is idle if it made calls that only order
/// work.
///
/// Fills in the times of tuning iterations: from the first start to the last end of all calls with
/// correlation ids in (note.begin, note.end], including calls that belong to no launch. A makespan is 0 if
/// there are no such records, or if one is missing or has no time. `other_spans` has the records of calls
/// that were made inside none of the launches. It has no value if a record is missing or has no time. If
/// something was lost, all spans are empty, all makespans are 0, and no `other_spans` has a value.
void assemble(const CuptiSession::Taken& taken, std::span<LaunchTiming> launches,
              std::span<IterationTiming> iterations);

}  // namespace contextual::cuda
