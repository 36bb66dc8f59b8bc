#pragma once

/// \file
/// Makes a default stream wait for all streams, for do_bench.

#include <contextual/detail/measure/work_gathering.hpp>

#include <memory>

namespace contextual::cuda {

/// Returns what gathers the work of the current context and of the primary contexts that are in use now, or
/// null with a driver that is older than CUDA 12.5, or where other threads may capture. The current context's
/// default stream must not be part of a capture when it gathers. Throws CudaUnavailable, CudaError or
/// DeviceError.
std::unique_ptr<detail::WorkGathering> context_gathering();

}  // namespace contextual::cuda
