#pragma once

/// \file
/// What "separate" does behind its last step.

#include "kernels/cuda/peers/spoil_parameters.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"

#include <cuda.h>

namespace contextual::kernels::cuda {

/// Fills the result with NaN if a call on the workspace has failed before: a rank that came too late for that
/// call may have written into the memory from which NCCL took its data. Does nothing where the ranks cannot
/// use each other's memory. The control is the workspace's. Throws CudaError.
void spoil_if_failed(const PeerWorkspace::Parts& workspace, CUstream stream, SpoilParameters result);

/// Compiles and loads the kernel, as the first launch would.
void load_spoil();

}  // namespace contextual::kernels::cuda
