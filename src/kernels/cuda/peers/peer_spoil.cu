/// Fills a result with NaN if a call on its workspace has failed: see `spoil_if_failed`. Compiled by NVRTC.
#include "peer_wait.cuh"
#include "spoil_parameters.hpp"

using contextual::kernels::cuda::SpoilParameters;

extern "C" __global__ void spoil_if_failed(const __grid_constant__ SpoilParameters p) {
  if (load_from_peers(&p.control->failed) == PeerFailure::none) {
    return;
  }
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int warps = static_cast<int>(gridDim.x * blockDim.x) / 32;
  const int rows = p.rows_on_device != nullptr ? *p.rows_on_device : p.rows;
  fill_with_nan(p.output, rows, p.n, p.pitch, thread / 32, warps);
}
