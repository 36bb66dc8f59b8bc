#pragma once

/// \file
/// Reduces busy intervals to one time, and says whether those of two problems overlap. Pure. Not part of the
/// public interface; the library and contextual::testing share it.

#include <contextual/export.hpp>
#include <contextual/timer.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace contextual::measure {

/// Returns how long the busiest device was busy, in ns: the union of the intervals on each device, then the
/// maximum over the devices. Time in which intervals of one device overlap counts once. Spans that do not end
/// after they begin are ignored; the result is 0 if none is left. Cost: sorts a copy; does not allocate for a
/// single span.
CONTEXTUAL_API std::int64_t busy_ns(std::span<const Span> spans);

/// Returns one span for each device, from the first begin to the last end there: the gaps between the kernels
/// of a launch belong to the launch. Spans that do not end after they begin are ignored.
CONTEXTUAL_API std::vector<Span> extents(std::span<const Span> spans);

/// Returns the union of the spans: sorted by device and begin, those of one device neither overlap nor touch.
/// Spans that do not end after they begin are ignored. Cost: sorts a copy.
CONTEXTUAL_API std::vector<Span> merged(std::span<const Span> spans);

/// Returns whether two sets of spans keep some device busy at the same time. Both must be the result of
/// `merged`. Spans of which one ends where the other begins do not overlap. An overlap of at most 2 % of the
/// shorter of the two busy times on that device does not count either: a programmatic dependent launch begins
/// while the kernel before it ends, and neither makes the other longer by more than that. Cost: linear.
CONTEXTUAL_API bool overlap(std::span<const Span> a, std::span<const Span> b);

}  // namespace contextual::measure
