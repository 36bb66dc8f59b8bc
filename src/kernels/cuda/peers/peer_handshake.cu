/// The begin and the end of what several ranks compute together: they meet, and they say so if one of them waited in vain.
/// Compiled by NVRTC. One block each, so that they need one multiprocessor.

#include "peer_control.hpp"
#include "peer_wait.cuh"
#include "peer_words.cuh"

using namespace contextual::kernels::cuda;

/// Lowers all flags but those of own rows, and meets the other ranks. Afterwards they may write here.
extern "C" __global__ void peer_begin(const __grid_constant__ PeerBegin p) {
  PeerControl& own = *p.control[p.rank];
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  for (int i = thread; i < p.ranks * PeerControl::flags_per_rank; i += threads) {
    own.ready[i] = i / PeerControl::flags_per_rank == p.rank ? 1 : 0;
    own.counts[i] = 0;
  }
  for (int i = thread; i < p.ranks * PeerControl::most_lanes; i += threads) {
    own.done[i] = 0;
  }
  const unsigned long long epoch = own.epoch + 1;
  __threadfence_system();
  __syncthreads();
  if (thread == 0) {
    own.epoch = epoch;
  }
  if (thread < p.ranks && thread != p.rank) {
    store_for_peers(&p.control[thread]->arrived[p.rank], epoch);
    wait_until(p, PeerFailure::not_arrived + thread, [&] { return load_from_peers(&own.arrived[thread]) >= epoch; });
  }
}

/// Waits until no peer needs this rank's memory any more. If the call has failed, tells everybody and fills the output
/// with NaN, so that a result with missing rows never looks right.
extern "C" __global__ void peer_end(const __grid_constant__ PeerEnd p) {
  PeerControl& own = *p.peers.control[p.peers.rank];
  const int thread = static_cast<int>(threadIdx.x);
  const int peer = thread / PeerControl::most_lanes;
  const bool waits = peer < p.peers.ranks && peer != p.peers.rank && thread % PeerControl::most_lanes < p.lanes;
  if (waits) {
    wait_until(p.peers, PeerFailure::not_done + peer, [&] { return load_from_peers(&own.done[thread]) != 0; });
  }
  __syncthreads();
  const unsigned reason = load_from_peers(&own.failed);
  if (__syncthreads_or(reason != PeerFailure::none ? 1 : 0) == 0) {
    return;
  }
  if (thread == 0) {
    fail(p.peers, reason);
  }
  fill_with_nan(p.output, p.count, thread, static_cast<int>(blockDim.x));
}
