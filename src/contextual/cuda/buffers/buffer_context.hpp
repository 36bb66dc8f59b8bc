#pragma once

/// \file
/// Where a buffer is, and a stream of the library's own there.

#include <cuda.h>

namespace contextual::cuda {

inline CUdeviceptr address_of(const void* data) noexcept {
  return reinterpret_cast<CUdeviceptr>(data);
}

/// Returns true for memory of a device, managed memory included. Returns false for all that the driver does
/// not know.
bool is_device_memory(const void* data) noexcept;

/// Returns the context that has allocated the memory, or, where memory belongs to no context, the primary one
/// of its device. Throws CudaError.
CUcontext context_of_buffer(const void* data);

/// Returns a stream of the context that waits for no other one. It is made by the first call and never
/// destroyed. Throws CudaError. Thread-safe.
CUstream own_stream_of(CUcontext context);

}  // namespace contextual::cuda
