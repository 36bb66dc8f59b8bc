#pragma once

#include <contextual/deadline.hpp>

#include <cuda.h>

#include <vector>

namespace contextual::cuda {

/// Waits until all work of these contexts is done. Throws Error when the deadline expires first: work that
/// never ends cannot be waited for, so the thread that does is left alone then.
void wait_for(const std::vector<CUcontext>& contexts, Deadline deadline);

}  // namespace contextual::cuda
