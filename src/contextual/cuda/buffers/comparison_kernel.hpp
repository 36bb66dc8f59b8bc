#pragma once

#include <contextual/detail/measure/device_buffers.hpp>
#include <contextual/output.hpp>

#include <cuda.h>

#include <cstddef>

namespace contextual::cuda {

/// Compares two buffers of elements by a kernel on this stream, as measure::compare does on the host, and
/// waits for it. The device must be able to read both. Takes as long as it takes to read the buffers, over
/// PCIe where one is the host's. Compiles the kernel by NVRTC, once per process, unless the disk has it.
/// Throws CudaUnavailable without NVRTC, and CudaError. The stream's context must be current.
detail::Differences compare_on_device(const void* data, const void* expected, std::size_t count,
                                      ElementType type, const detail::Tolerance& tolerance, CUstream stream);

/// Adds up each block of so many elements, by a kernel on this stream, and waits for it. `sums` has one for
/// each block, in memory of the host that the device can write. The rest is as above.
void sum_on_device(const void* data, std::size_t count, ElementType type, std::size_t block_elements,
                   detail::BlockSum* sums, CUstream stream);

}  // namespace contextual::cuda
