#pragma once

#include "contextual/cuda/cupti/cupti_session.hpp"

namespace contextual::cuda {

/// Loads the kernels that a CUPTI timer launches, in the context in which `check_by_canary` launches its own.
/// Throws as that one does, and CudaUnavailable where loading waits for too long.
void load_canary();

/// Checks that CUPTI's times can be trusted: launches an empty kernel on a stream of its own, waits for it,
/// and looks for its record. Without a current context it uses the first device's primary context, which it
/// then leaves as the CUDA runtime would. Throws CudaUnavailable if there is no record or no sound time in
/// it, and CudaError if the kernel cannot be launched, which is not CUPTI's fault.
void check_by_canary(CuptiSession& session);

}  // namespace contextual::cuda
