#pragma once

/// \file
/// Clears the L2 cache of a GPU, for do_bench.

namespace contextual::cuda {

/// Lets do_bench clear the caches of GPUs (detail::set_cache_clearing). Thread-safe; costs nothing but a
/// store.
void offer_l2_clearing() noexcept;

}  // namespace contextual::cuda
