#pragma once

/// \file
/// Where a buffer is, and a stream of the library's own there.

#include <cuda.h>

#include <vector>

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

/// Waits as long as a run may take for the work of the contexts, or, if another thread may capture, for that
/// of the default streams, and of the streams that the run's region named. Throws CudaError or DeviceError,
/// and Error if that takes longer.
void wait_for_contexts(const std::vector<CUcontext>& contexts);

/// The same for a stream of the current context that nobody captures.
void wait_for_own_stream(CUstream stream);

}  // namespace contextual::cuda
