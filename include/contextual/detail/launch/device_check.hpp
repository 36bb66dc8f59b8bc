#pragma once

/// \file
/// Whether a launch may be on the calling thread's current device.

#include <contextual/export.hpp>

#include <string>

namespace contextual::detail {

/// Returns why nothing may be launched on the calling thread's current device, or an empty text. Must not
/// wait.
using DeviceCheck = std::string (*)();

/// Makes every launch ask `check`; null: none does. Call it while no region runs. Thread-safe.
CONTEXTUAL_API void set_device_check(DeviceCheck check) noexcept;

}  // namespace contextual::detail
