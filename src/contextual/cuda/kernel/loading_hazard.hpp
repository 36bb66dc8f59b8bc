#pragma once

#include <string>

namespace contextual::cuda {

/// Why the first launch of a kernel that was not loaded ahead may wait for the device to drain, and so for
/// ever beside a kernel that waits for it; empty where CUDA loads everything at once. Never throws.
std::string loading_hazard();

}  // namespace contextual::cuda
