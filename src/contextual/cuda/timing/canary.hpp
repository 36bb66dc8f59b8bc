#pragma once

#include "contextual/cuda/cupti/cupti_session.hpp"

namespace contextual::cuda {

/// Launches an empty kernel on a stream of its own, waits for that alone, and looks for its record. Throws
/// CudaUnavailable when there is none, or one without a sound time: then no time of CUPTI's is worth anything
/// here. Needs a current context, else makes the first device's primary one current meanwhile, which stays as
/// the CUDA runtime would leave it. Throws CudaError when the kernel cannot be launched, which is not CUPTI's
/// fault.
void check_by_canary(CuptiSession& session);

}  // namespace contextual::cuda
