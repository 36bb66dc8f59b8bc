#pragma once

/// \file
/// A rank that comes late on purpose.

#include <cuda.h>

#include <chrono>

namespace contextual::kernels::cuda {

/// Lets the stream wait on the device for so long, or until `host_abort`, the host's memory, is not 0. Throws
/// CudaError.
void delay_stream(CUstream stream, std::chrono::nanoseconds delay, const unsigned* host_abort);

/// Compiles and loads the kernel, as the first launch would.
void load_delay();

}  // namespace contextual::kernels::cuda
