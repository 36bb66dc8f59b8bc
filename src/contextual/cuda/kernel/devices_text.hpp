#pragma once

/// \file
/// The devices as a part of the machine that choices are made on.

#include <cuda.h>

#include <string>
#include <vector>

namespace contextual::cuda {

/// Returns the devices that this process sees. Throws CudaUnavailable or CudaError.
std::vector<CUdevice> visible_devices();

/// Returns the kind of a device: its name, compute capability and number of multiprocessors. Throws
/// CudaError.
std::string device_text(CUdevice device);

/// Returns the kinds of the devices that this process sees, with their compute capability and number of
/// multiprocessors; a slice of a divided device (MIG) has a name and a number of its own. It names no bus.
/// Throws CudaUnavailable or CudaError.
std::string devices_text();

/// Returns how each of these devices reaches each other one: "none"; "access", as over PCIe, or "atomics", as
/// over NVLink, with the driver's rank of its speed. Throws CudaUnavailable or CudaError.
std::string links_text();

/// Returns the version of CUDA that the library was built with. Not that of the runtime library: one that is
/// linked statically cannot be asked from here, and a program says the same whichever it has.
std::string cuda_text();

/// Returns the driver's version, 13000 for 13.0. Throws CudaUnavailable or CudaError.
std::string driver_text();

/// Makes them parts of detail::this_machine. Done already where the library is shared, when it is loaded; a
/// call brings this into a program that is linked to it statically.
void describe_devices() noexcept;

}  // namespace contextual::cuda
