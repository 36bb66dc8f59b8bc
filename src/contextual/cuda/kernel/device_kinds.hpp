#pragma once

/// \file
/// The kinds of devices that this process sees, of which it launches on one.

#include <string>

namespace contextual::cuda {

/// Looks at the devices that this process sees. If they are of several kinds, launches of tunable kernels
/// throw InvalidArgument from now on, unless they are on devices of the kind that this process launched on
/// first. Takes some us; call it while no region runs. Throws CudaUnavailable or CudaError. Thread-safe.
void tell_device_kinds();

/// Returns the kind that this process launches on; if it has not launched yet, that of the current or the
/// first device. Empty where there is one kind. Looks at the devices as `tell_device_kinds`. Throws
/// CudaUnavailable or CudaError. Thread-safe.
std::string first_kind_text();

}  // namespace contextual::cuda
