#pragma once

/// Tiles by ticket, for kernels whose blocks wait for other ranks: clusters take them in one order, so whoever waits,
/// waits for what is done at smaller tickets, and one cluster of each rank that runs is enough. Compiled by NVRTC,
/// behind gemm_pipeline.cuh.

#include "gemm_pipeline.cuh"
#include "peer_wait.cuh"

namespace {

using contextual::kernels::cuda::PeerControl;

constexpr int ticket_slots = 2;  // taken ahead, so that nobody waits for the memory

/// And the barriers and tickets behind them. `roles` are those besides the consumers that take tickets.
template <int roles>
struct TicketShared : Shared {
  __device__ unsigned ticket_full(int slot) const { return Shared::end() + slot * 8; }
  __device__ unsigned ticket_empty(int slot) const { return ticket_full(ticket_slots) + slot * 8; }
  __device__ unsigned ticket(int slot) const { return ticket_empty(ticket_slots) + slot * 4; }
  __device__ unsigned end() const { return ticket(ticket_slots); }

  /// One thread.
  __device__ void init() const {
    init_barriers();
    for (int slot = 0; slot < ticket_slots; ++slot) {
      barrier_init(ticket_full(slot), 1);
      barrier_init(ticket_empty(slot), CLUSTER * (roles + consumers * warps));
    }
  }
};

/// A tile of each block of a cluster.
struct Ticket {
  int number;
  bool marked;  ///< by the walk
};

/// What a role sees of the tickets.
template <typename TheShared>
class Tickets {
 public:
  __device__ explicit Tickets(TheShared shared) : shared_(shared) {}

  /// One thread.
  __device__ Ticket take() { return ticket_of(next_word()); }
  /// A warp.
  __device__ Ticket take_together() {
    unsigned word = 0;
    if (threadIdx.x % 32 == 0) {
      word = next_word();
    }
    return ticket_of(__shfl_sync(0xFFFFFFFFU, word, 0));
  }

 private:
  __device__ unsigned next_word() {
    barrier_wait_for_cluster(shared_.ticket_full(place_.stage), place_.parity);
    const unsigned word = load_shared(shared_.ticket(place_.stage));
    barrier_arrive_at(shared_.ticket_empty(place_.stage), 0);
    place_.advance();
    return word;
  }
  __device__ static Ticket ticket_of(unsigned word) { return {static_cast<int>(word / 2), word % 2 != 0}; }

  TheShared shared_;
  Place<ticket_slots> place_;
};

__device__ bool is_scheduler(const Role& role) {
  return role.consumer == consumers && role.warp == 2 && role.leads && (CLUSTER == 1 || block_in_cluster() == 0);
}

__device__ int take_ticket(const PeerBegin& peers) {
  return static_cast<int>(atomicAdd(&peers.control[peers.rank]->tickets, 1U));
}

/// Says that this rank's call has begun, so that the others may write here. Whoever has the first ticket.
__device__ void tell_begun(const PeerBegin& peers) {
  for (int rank = 0; rank < peers.ranks; ++rank) {
    if (rank != peers.rank) {
      store_for_peers(&peers.control[rank]->arrived[peers.rank], peers.control[peers.rank]->epoch + 1);
    }
  }
}

/// One thread of the cluster, which has taken its first ticket. `marked(ticket)` is what the roles see of it.
template <typename TheShared, typename Marked>
__device__ void schedule(const PeerBegin& peers, TheShared shared, int count, int ticket, const Marked& marked) {
  if (ticket == 0) {
    tell_begun(peers);
  }
  Place<ticket_slots> place;
  for (;; ticket = take_ticket(peers), place.advance()) {
    const unsigned word = static_cast<unsigned>(2 * ticket) + (ticket < count && marked(ticket) ? 1 : 0);
    barrier_wait(shared.ticket_empty(place.stage), place.parity ^ 1);
    for (int block = 0; block < CLUSTER; ++block) {
      send_word(shared.ticket(place.stage), word, shared.ticket_full(place.stage), static_cast<unsigned>(block));
    }
    if (ticket >= count) {
      return;
    }
  }
}

/// A kernel from its begin until all that this block does is done: see `run_role`, and `schedule`. `rest(role)` is for the
/// warps that are left.
template <typename TheShared, typename Consume, typename Produce, typename Store, typename Marked, typename Rest>
__device__ __forceinline__ void run_by_ticket(const PeerBegin& peers, TheShared shared, int count,
                                              const Consume& consume, const Produce& produce, const Store& store,
                                              const Marked& marked, const Rest& rest) {
  if (threadIdx.x == 0) {
    shared.init();
    barrier_init_fence();
  }
  const Role role = role_of_thread();
  const int first_ticket = is_scheduler(role) ? take_ticket(peers) : 0;
  block_or_cluster_sync();
  run_role(role, [&] { consume(role.consumer); }, produce, store, [&] {
    if (is_scheduler(role)) {
      schedule(peers, shared, count, first_ticket, marked);
    } else {
      rest(role);
    }
  });
  block_or_cluster_sync();
}

/// Another rank's call has begun.
__device__ bool has_begun(const PeerBegin& peers, int rank) {
  const PeerControl& own = *peers.control[peers.rank];
  return load_from_peers(&own.arrived[rank]) > own.epoch;
}

/// Of a flag, besides the call. A rank with other tiles, since its launch failed and it fell back, waits in vain.
constexpr unsigned tile_shape = BLOCK_M / 64 << 5 | BLOCK_N / 64 << 2 | CLUSTER;
static_assert(tile_shape < 256);

/// The ranks whose call has begun, as one thread knows them, which stores into their memory.
class Arrivals {
 public:
  __device__ explicit Arrivals(const PeerBegin& peers) : peers_(peers), here_(1U << peers.rank) {}

  /// Waits until the rank has begun. Returns false in vain.
  __device__ bool wait(int rank) {
    if ((here_ >> rank & 1) == 0 &&
        wait_until(peers_, PeerFailure::not_arrived + rank, [&] { return has_begun(peers_, rank); })) {
      fence_global_reads();
      here_ |= 1U << rank;
    }
    return (here_ >> rank & 1) != 0;
  }

 private:
  const PeerBegin& peers_;
  unsigned here_;  // bits
};

/// One warp of the block, when all of it is done. That of the last block ends the call, after `finish(lane)`; if it has
/// failed, after `spoil(lane)` has filled the outputs with NaN.
template <typename Finish, typename Spoil>
__device__ void leave(const PeerBegin& peers, const Finish& finish, const Spoil& spoil) {
  PeerControl& own = *peers.control[peers.rank];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned before = 0;
  if (lane == 0) {
    __threadfence();
    before = atomicAdd(&own.left, 1U);
    __threadfence();
  }
  if (__shfl_sync(0xFFFFFFFFU, before, 0) != gridDim.x - 1) {
    return;
  }
  finish(lane);
  __syncwarp();
  const unsigned reason = __shfl_sync(0xFFFFFFFFU, load_from_peers(&own.failed), 0);
  if (reason != PeerFailure::none) {
    spoil(lane);
  }
  if (lane == 0) {
    if (reason != PeerFailure::none) {
      fail(peers, reason);
    }
    own.tickets = 0;
    own.pieces = 0;
    own.fetched_pieces = 0;
    for (unsigned& pieces : own.here) {
      pieces = 0;
    }
    own.senders = 0;
    own.sent = 0;
    own.left = 0;
    own.epoch += 1;
  }
}

}  // namespace
