#pragma once

/// \file
/// Words in device memory that streams write and wait for without a kernel, so that they need no
/// multiprocessor.

#include <cuda.h>

namespace contextual::benchmarks {

/// Writes a word in stream order, after everything that the stream did before is visible to all devices. The
/// word may be another device's. Throws CudaError.
void write_word(CUstream stream, unsigned* word, unsigned value);

/// Lets the stream wait until a word of this device is at least `value`, where counting wraps around. The
/// wait has no bound of its own: wait only for what a kernel of this device certainly does. Throws CudaError.
void wait_for_word(CUstream stream, const unsigned* word, unsigned value);

}  // namespace contextual::benchmarks
