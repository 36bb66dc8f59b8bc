#pragma once

/// \file
/// What do_bench needs of GPUs.

namespace contextual::cuda {

/// Returns true if the stream is being captured, or if a stream that waits for the default stream of the
/// current context is. The latter is asked of that default stream, which does no harm. Cost: two driver
/// calls.
bool capture_is_open(void* stream) noexcept;

/// Lets do_bench use GPUs (detail::set_bench_devices). Thread-safe; costs nothing but a store.
void offer_gpus_to_bench() noexcept;

}  // namespace contextual::cuda
