#pragma once

#include <cuda.h>

#include <vector>

namespace contextual::cuda {

/// Returns the contexts in which a region may launch: the current one, then each device's primary context
/// that is in use in this process. Returns nothing if no context exists yet, and creates none. Throws
/// CudaUnavailable or CudaError.
std::vector<CUcontext> active_contexts();

}  // namespace contextual::cuda
