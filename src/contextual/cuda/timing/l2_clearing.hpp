#pragma once

/// \file
/// Clears the L2 caches of GPUs, for do_bench.

#include <contextual/detail/measure/cache_clearing.hpp>

#include <memory>
#include <span>

namespace contextual::cuda {

/// As detail::BenchDevices::clearing_on says. Throws CudaUnavailable, CudaError or DeviceError.
std::unique_ptr<detail::CacheClearing> l2_clearing_on(void* stream);
/// As detail::BenchDevices::clearing_of says: on the default stream of the current context or, for another
/// device, of its primary one. Throws CudaUnavailable, CudaError or DeviceError.
std::unique_ptr<detail::CacheClearing> l2_clearing_of(std::span<const int> devices);

}  // namespace contextual::cuda
