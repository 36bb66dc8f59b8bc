#pragma once

/// \file
/// Local memory of kernels, taken from the device before they are launched.

#include <contextual/export.hpp>

#include <cstddef>

namespace contextual::detail {

/// Lets each thread of the current context have `bytes` of local memory. The first launch of a kernel that
/// needs more than any before would wait for all running kernels to get it. Does nothing if it is there.
/// While a tuning run tries a config, this lasts until `give_back_local_memory`. Throws ConfigRejected if the
/// device has not enough memory, or if the driver waits for a running kernel for half of the deadline.
CONTEXTUAL_API void reserve_local_memory(std::size_t bytes);

}  // namespace contextual::detail
