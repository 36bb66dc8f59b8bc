/// The experts that the rows of all ranks choose, and their weights: each rank reads those of the others from their
/// memory. Compiled by NVRTC.
#include "peer_calls.cuh"
#include "routing_gather_parameters.hpp"

using contextual::kernels::cuda::RoutingGatherParameters;

namespace {

/// All threads of the block: says that this rank's call has begun, and waits for the others'. Returns false in vain.
__device__ bool meets_all(const PeerBegin& peers) {
  const int rank = static_cast<int>(threadIdx.x);
  if (rank == 0) {
    tell_if_first(peers, take_ticket(peers));
  }
  bool is_here = true;
  if (rank < peers.ranks && rank != peers.rank) {
    is_here = wait_until(peers, PeerFailure::not_arrived + rank, [&] { return has_begun(peers, rank); });
  }
  return __syncthreads_and(is_here ? 1 : 0) != 0;
}

/// One thread for each rank, when this one has read all: until that rank has this one's.
__device__ void part_from(const PeerBegin& peers, int rank) {
  if (rank < peers.ranks && rank != peers.rank) {
    const PeerControl& own = *peers.control[peers.rank];
    store_for_peers(&peers.control[rank]->fetched[peers.rank], own.epoch + 1);
    wait_until(peers, PeerFailure::not_done + rank, [&] { return load_from_peers(&own.fetched[rank]) > own.epoch; });
  }
}

}  // namespace

extern "C" __global__ void gather_routing(const __grid_constant__ RoutingGatherParameters p) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (meets_all(p.peers) && i < p.count) {
    const int source = i / p.count_per_shard;
    p.to.ids[i] = __ldcg(p.from[source].ids + i);
    p.to.weights[i] = __ldcg(p.from[source].weights + i);
  }
  __syncthreads();
  leave(p.peers, [&](int lane) { part_from(p.peers, lane); }, [&](int warp, int warps) {
    for (int at = warp * 32 + static_cast<int>(threadIdx.x) % 32; at < p.count; at += warps * 32) {
      p.to.ids[at] = -1;
      p.to.weights[at] = __int_as_float(-1);
    }
  });
}
