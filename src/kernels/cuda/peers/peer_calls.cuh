#pragma once

/// A call on a workspace, as the blocks of a kernel see it that several ranks run together: from the first ticket until
/// the last block leaves. Compiled by NVRTC.

#include "hopper_ptx.cuh"
#include "peer_wait.cuh"

namespace {

using contextual::kernels::cuda::PeerControl;

/// Of what blocks take in one order. One thread.
__device__ int take_ticket(const PeerBegin& peers) {
  return static_cast<int>(atomicAdd(&peers.control[peers.rank]->tickets, 1U));
}

/// Whoever has the first ticket says that this rank's call has begun, so that the others may write here. One thread.
__device__ void tell_if_first(const PeerBegin& peers, int ticket) {
  for (int rank = 0; ticket == 0 && rank < peers.ranks; ++rank) {
    if (rank != peers.rank) {
      store_for_peers(&peers.control[rank]->arrived[peers.rank], peers.control[peers.rank]->epoch + 1);
    }
  }
}

/// Another rank's call has begun.
__device__ bool has_begun(const PeerBegin& peers, int rank) {
  const PeerControl& own = *peers.control[peers.rank];
  return load_from_peers(&own.arrived[rank]) > own.epoch;
}

/// A call whose blocks read what the other ranks have, once these have begun. Its epoch is read once, since a look at it
/// takes as long as one at another rank's word.
class Meeting {
 public:
  __device__ explicit Meeting(const PeerBegin& peers) : peers_(peers), epoch_(own().epoch) {}

  /// All threads of the block: until all ranks have begun. Returns false in vain. The first block, which the device
  /// starts first, tells the others.
  __device__ bool has_all() const {
    const int rank = static_cast<int>(threadIdx.x);
    bool is_here = true;
    if (is_other(rank)) {
      if (blockIdx.x == 0) {
        store_for_peers(&peers_.control[rank]->arrived[peers_.rank], epoch_ + 1);
      }
      is_here = wait_until(peers_, PeerFailure::not_arrived + rank,
                           [&] { return load_from_peers(&own().arrived[rank]) > epoch_; });
    }
    return __syncthreads_and(is_here ? 1 : 0) != 0;
  }

  /// One thread for each rank, when this one has read all: until that rank has, too.
  __device__ void part(int rank) const {
    if (is_other(rank)) {
      store_for_peers(&peers_.control[rank]->fetched[peers_.rank], epoch_ + 1);
      wait_until(peers_, PeerFailure::not_done + rank,
                 [&] { return load_from_peers(&own().fetched[rank]) > epoch_; });
    }
  }

 private:
  __device__ PeerControl& own() const { return *peers_.control[peers_.rank]; }
  __device__ bool is_other(int rank) const { return rank < peers_.ranks && rank != peers_.rank; }

  const PeerBegin& peers_;
  unsigned long long epoch_;
};

/// Lets the copies into the other ranks' memory begin, once all ranks have begun or the wait was in vain. One thread.
__device__ void release_copies(const PeerBegin& peers, unsigned long long flag) {
  PeerControl& own = *peers.control[peers.rank];
  bool all = true;
  for (int rank = 0; rank < peers.ranks; ++rank) {
    all = all && (rank == peers.rank ||
                  wait_until(peers, PeerFailure::not_arrived + rank, [&] { return has_begun(peers, rank); }));
  }
  if (!all) {
    fail(peers, load_from_peers(&own.failed));  // all know it before anything is written
  }
  own.copied_flag = flag;
  store_for_peers(&own.all_begun, 1U);
}

/// The ranks whose call has begun, as one thread knows them, which stores into their memory.
class Arrivals {
 public:
  __device__ explicit Arrivals(const PeerBegin& peers) : peers_(peers), here_(1U << peers.rank) {}

  /// Waits until the rank has begun. Returns false in vain.
  __device__ bool wait(int rank) {
    if ((here_ >> rank & 1) == 0 &&
        wait_until(peers_, PeerFailure::not_arrived + rank, [&] { return has_begun(peers_, rank); })) {
      hopper::fence_global_reads();
      here_ |= 1U << rank;
    }
    return (here_ >> rank & 1) != 0;
  }

 private:
  const PeerBegin& peers_;
  unsigned here_;  // bits
};

/// All threads of the block, when all of it is done. The last block ends the call, after its first warp's `finish(lane)`;
/// if it has failed, after `spoil(warp, warps)` has filled the outputs with NaN.
template <typename Finish, typename Spoil>
__device__ void leave(const PeerBegin& peers, const Finish& finish, const Spoil& spoil) {
  PeerControl& own = *peers.control[peers.rank];
  const int thread = static_cast<int>(threadIdx.x);
  bool is_last = false;
  if (thread == 0) {
    __threadfence();
    is_last = atomicAdd(&own.left, 1U) == gridDim.x - 1;
    __threadfence();
  }
  if (__syncthreads_or(is_last ? 1 : 0) == 0) {
    return;
  }
  unsigned reason = PeerFailure::none;
  if (thread < 32) {
    finish(thread);
    __syncwarp();
  }
  if (thread == 0) {
    reason = load_from_peers(&own.failed);
  }
  if (__syncthreads_or(reason != PeerFailure::none ? 1 : 0) != 0) {
    spoil(thread / 32, static_cast<int>(blockDim.x) / 32);
  }
  if (thread == 0) {
    if (reason != PeerFailure::none) {
      fail(peers, reason);
    }
    own.waits_since = 0;
    own.tickets = 0;
    own.pieces = 0;
    own.fetched_pieces = 0;
    for (unsigned& pieces : own.here) {
      pieces = 0;
    }
    own.senders = 0;
    own.sent = 0;
    own.left = 0;
    own.begun = 0;
    own.epoch += 1;
  }
}

}  // namespace
