#pragma once

/// \file
/// Reduces busy intervals to one time. Pure. Not part of the public interface; the library and
/// contextual::testing share it.

#include <contextual/export.hpp>
#include <contextual/timer.hpp>

#include <cstdint>
#include <span>

namespace contextual::measure {

/// Returns how long a launch kept its busiest device busy, in ns: the union of its intervals on each device,
/// then the maximum over the devices. Time in which intervals of one device overlap counts once. Spans that
/// do not end after they begin are ignored; the result is 0 if none is left. Cost: sorts a copy; does not
/// allocate for a single span.
CONTEXTUAL_API std::int64_t busy_ns(std::span<const Span> spans);

}  // namespace contextual::measure
