#pragma once

/// \file
/// The devices as a part of the machine that choices are made on.

#include <string>

namespace contextual::cuda {

/// Returns the kinds of the devices that this process sees, with their compute capability and number of
/// multiprocessors. It names no bus. Throws CudaUnavailable or CudaError.
std::string devices_text();

/// Returns the driver's version, 13000 for 13.0. Throws CudaUnavailable or CudaError.
std::string driver_text();

/// Makes both parts of detail::machine_text. Done already where the library is shared, when it is loaded; a
/// call brings this into a program that is linked to it statically.
void describe_devices() noexcept;

}  // namespace contextual::cuda
