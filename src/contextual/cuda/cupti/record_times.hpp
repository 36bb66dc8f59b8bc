#pragma once

/// \file
/// From device records to times of launches and tuning iterations. Pure.

#include "contextual/cuda/cupti/cupti_session.hpp"

#include <contextual/timer.hpp>

#include <span>

namespace contextual::cuda {

/// What a launch's note holds: its number, and that of the launch that it is made inside, -1 for none.
/// `end` is below 0 until the launch has ended.
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

/// Fills in the launches' spans: all records of the API calls that were made inside a launch, whose number is
/// its note's `begin`, or inside a launch that it encloses. A launch that never ended, without any call, one
/// of whose kernel calls has no record, or with a record without a time keeps no spans.
///
/// A tuning iteration's makespan covers all records of calls with correlation ids in (note.begin, note.end],
/// those that belong to no launch included; 0 when one of them has no time or is missing, or there are
/// none. Everything is
/// 0 and empty when something was lost.
void assemble(const CuptiSession::Taken& taken, std::span<LaunchTiming> launches,
              std::span<IterationTiming> iterations);

}  // namespace contextual::cuda
