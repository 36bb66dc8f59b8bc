#pragma once

#include <string>

namespace contextual::cuda {

/// Returns why the first launch of a kernel that was not loaded before may wait until the device is idle, and
/// so for ever beside a kernel that waits for that launch. Never throws.
std::string loading_hazard();

}  // namespace contextual::cuda
