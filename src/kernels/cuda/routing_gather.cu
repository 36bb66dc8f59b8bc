/// The experts that the rows of all ranks choose, and their weights: each rank reads those of the others from their
/// memory. Compiled by NVRTC.
#include "peer_calls.cuh"
#include "routing_gather_parameters.hpp"

using contextual::kernels::cuda::RoutingGatherParameters;

extern "C" __global__ void gather_routing(const __grid_constant__ RoutingGatherParameters p) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const Meeting meeting(p.peers);
  if (meeting.has_all() && i < p.count) {
    const int source = i / p.count_per_shard;
    p.to.ids[i] = __ldcg(p.from[source].ids + i);
    p.to.weights[i] = __ldcg(p.from[source].weights + i);
  }
  __syncthreads();
  leave(p.peers, [&](int lane) { meeting.part(lane); }, [&](int warp, int warps) {
    for (int at = warp * 32 + static_cast<int>(threadIdx.x) % 32; at < p.count; at += warps * 32) {
      p.to.ids[at] = -1;
      p.to.weights[at] = __int_as_float(-1);
    }
  });
}
