#pragma once

/// \file
/// Measures by how much a timer's method overstates times: a constant, found with kernels that time
/// themselves.

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

/// Returns the median of the measured minus the kernel's own time. Ignores kernels without a time, and
/// outliers, where other work got in between. Returns nothing if fewer than 5 kernels are left. Pure.
std::optional<std::int64_t> bias_of(std::span<const TimedSpin> spins);

/// Return the bias of CUPTI's records, or of an event pair, in the current context. The first call in a
/// context launches some short kernels and takes some ms, so never call it inside a region; the result is
/// kept for the process. Return nothing if there is no current context or the calibration failed.
///
/// The bias is measured on a busy stream. On an idle stream an event pair overstates times even more, because
/// the device waits for the host between the first event and the kernel.
std::optional<std::int64_t> cupti_bias_ns(CuptiSession& session) noexcept;
std::optional<std::int64_t> event_bias_ns() noexcept;

}  // namespace contextual::cuda
