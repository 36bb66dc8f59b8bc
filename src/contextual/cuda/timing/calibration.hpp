#pragma once

/// \file
/// How much too long a timer's method reads: a constant, found by kernels that know how long they took.

#include "contextual/cuda/cupti/cupti_session.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace contextual::cuda {

/// One kernel, timed by a method and by its own clock.
struct TimedSpin {
  std::int64_t measured_ns = 0;
  std::int64_t own_ns = 0;
};

/// The median of measured minus own, without outliers (other work got in between) and kernels that have no
/// time. Empty when fewer than 5 are left. Pure.
std::optional<std::int64_t> bias_of(std::span<const TimedSpin> spins);

/// Of CUPTI's records, or of an event pair, in the current context. Launches some short kernels when it is
/// asked for the first time in a context, and remembers the answer for the process. Takes some ms then, so
/// never inside a region. Empty when there is no current context, or the calibration failed.
///
/// Measured with work queued up: an event pair on an idle stream reads even longer, because the device waits
/// for the host between the first event and the kernel.
std::optional<std::int64_t> cupti_bias_ns(CuptiSession& session) noexcept;
std::optional<std::int64_t> event_bias_ns() noexcept;

}  // namespace contextual::cuda
