#pragma once

/// \file
/// Says when the launches of tuning iterations and the device work beside them ran.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/thread_log.hpp"

#include <contextual/timer.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace contextual::tuning {

/// A timeline keeps at most so many spans, the earliest launches first, so that its line in the log stays
/// well below the 4 MiB that contextual-report reads.
inline constexpr std::size_t most_timeline_spans = 4096;

/// Returns the timeline of each iteration, from what the timer said of the launches `records`, in their
/// order, and of the iterations. Where an iteration has work on devices and on the host, which have different
/// clocks, its first launch on the host is put at the iteration's begin. Cost: sorts and copies the spans.
std::vector<detail::IterationTimeline> timelines_of(std::span<detail::LaunchRecord* const> records,
                                                    std::span<const LaunchTiming> timings,
                                                    std::span<const IterationTiming> iterations);

}  // namespace contextual::tuning
