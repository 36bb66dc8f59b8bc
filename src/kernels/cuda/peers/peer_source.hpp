#pragma once

/// \file
/// What kernels of several ranks have in common, as they are compiled.

#include <contextual/cuda.hpp>

namespace contextual::kernels::cuda {

/// Returns the source with the headers of a kernel whose ranks wait for each other.
CudaSource with_peer_headers(CudaSource source);

}  // namespace contextual::kernels::cuda
