#pragma once

/// \file
/// A driver whose functions return at once, and a compiler whose code is one byte, for `cuda_launch_path`.

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/api/nvrtc.hpp"

#include <cstdint>

namespace contextual::benchmarks {

/// Handles are never looked into.
template <typename Handle>
Handle handle() {
  return reinterpret_cast<Handle>(std::uintptr_t{64});
}

// What is called for each launch: neither inlined nor dropped.

CUresult context_now(CUcontext* context);
CUresult launch_nothing_ex(const CUlaunchConfig* config, CUfunction function, void** parameters,
                           void** extra);
CUresult launch_nothing(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** parameters, void** extra);

/// Enough of a driver to load a kernel, to launch it and to tune it.
cuda::Driver scripted_driver();

cuda::Nvrtc scripted_compiler();

}  // namespace contextual::benchmarks
