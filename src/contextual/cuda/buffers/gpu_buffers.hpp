#pragma once

/// \file
/// What a tuning run does with buffers of GPUs.

namespace contextual::cuda {

/// Lets tuning runs fill, compare and restore buffers of GPUs (detail::set_device_buffers). Thread-safe;
/// costs nothing but a store.
void offer_gpu_buffers() noexcept;

}  // namespace contextual::cuda
