#pragma once

/// \file
/// The kinds of devices of this process, as launches ask for them.

#include <string>

namespace contextual::cuda {

/// Looks at the devices that this process sees, and tells launches (detail::set_device_kinds) if they are of
/// several kinds. Takes some us; call it while no region runs. Throws CudaUnavailable or CudaError.
/// Thread-safe.
void tell_device_kinds();

/// Returns the kind whose launches have the word 0: the one that this process has launched on first, or else
/// the kind of the current or the first device, which is that from now on. Empty where there is one kind.
/// Looks at the devices as `tell_device_kinds`. Throws CudaUnavailable or CudaError. Thread-safe.
std::string first_kind_text();

}  // namespace contextual::cuda
