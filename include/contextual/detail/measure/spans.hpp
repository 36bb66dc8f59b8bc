#pragma once

/// \file
/// From busy intervals to one number. Pure. Not part of the public interface: the library and
/// contextual::testing share it.

#include <contextual/export.hpp>
#include <contextual/timer.hpp>

#include <cstdint>
#include <span>

namespace contextual::measure {

/// How long a launch kept its busiest device busy, in ns: the union of its intervals per device, then the
/// maximum over the devices. Copies that overlap a kernel of the same launch count once. Spans that end at
/// or before their begin are no measurement and are ignored; 0 when none is left.
/// Cost: sorts a copy; nothing is allocated for a single span.
CONTEXTUAL_API std::int64_t busy_ns(std::span<const Span> spans);

}  // namespace contextual::measure
