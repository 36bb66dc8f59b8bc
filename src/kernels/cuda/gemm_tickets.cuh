#pragma once

/// Tiles by ticket, for GEMMs whose blocks wait for other ranks. Where clusters take them in one order, whoever waits,
/// waits for what is done at smaller tickets, and one cluster of each rank that runs is enough. Compiled by NVRTC,
/// behind gemm_pipeline.cuh.

#include "gemm_pipeline.cuh"
#include "peer_calls.cuh"

namespace {

constexpr int ticket_slots = 2;
// A cluster takes its next ticket when this many blocks of k are left to load, some microseconds before it needs
// it, so that nobody waits for the memory. If it took tickets earlier, few tiles would be spread unevenly.
constexpr int ticket_k_blocks = 8 * (128 * 256) / (BLOCK_M * BLOCK_N);

/// And the barriers and tickets behind them. `roles` are those besides the consumers that take tickets.
template <int roles>
struct TicketShared : Shared {
  __device__ unsigned ticket_full(int slot) const { return Shared::end() + slot * 8; }
  __device__ unsigned ticket_empty(int slot) const { return ticket_full(ticket_slots) + slot * 8; }
  __device__ unsigned ticket(int slot) const { return ticket_empty(ticket_slots) + slot * 4; }
  /// The next ticket is wanted.
  __device__ unsigned wanted() const { return ticket(ticket_slots); }
  __device__ unsigned end() const { return wanted() + 8; }

  /// One thread.
  __device__ void init() const {
    init_barriers();
    for (int slot = 0; slot < ticket_slots; ++slot) {
      barrier_init(ticket_full(slot), 1);
      barrier_init(ticket_empty(slot), CLUSTER * (roles + consumers * warps));
    }
    barrier_init(wanted(), 1);
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

/// Asks for the next ticket. Whoever loads, once for each ticket.
template <typename TheShared>
__device__ __forceinline__ void want_ticket(TheShared shared) {
  if (CLUSTER == 1 || block_in_cluster() == 0) {
    barrier_arrive(shared.wanted());
  }
}

/// `load_tile`, which asks for the next ticket when most is loaded.
template <typename TheShared>
__device__ __forceinline__ void load_tile_of_ticket(const TensorMap& a, const TensorMap& b, int first_k, int end_k,
                                                    int a_row, int b_row, TheShared shared, Stage& place) {
  const int last_k = max(first_k, end_k - ticket_k_blocks);
  load_tile(a, b, first_k, last_k, a_row, b_row, shared, place);
  want_ticket(shared);
  load_tile(a, b, last_k, end_k, a_row, b_row, shared, place);
}

/// One thread of the cluster, from its first ticket on. `marked(ticket)` is what the roles see of it. The first `taken`
/// tickets were given out by the cluster's index.
template <typename TheShared, typename Marked>
__device__ void schedule(const PeerBegin& peers, TheShared shared, int count, int ticket, int taken,
                         const Marked& marked) {
  Place<ticket_slots> place;
  Place<1> wanted;
  for (;; ticket = taken + take_ticket(peers), place.advance(), wanted.advance()) {
    const unsigned word = static_cast<unsigned>(2 * ticket) + (ticket < count && marked(ticket) ? 1 : 0);
    barrier_wait(shared.ticket_empty(place.stage), place.parity ^ 1);
    for (int block = 0; block < CLUSTER; ++block) {
      send_word(shared.ticket(place.stage), word, shared.ticket_full(place.stage), static_cast<unsigned>(block));
    }
    if (ticket >= count) {
      return;
    }
    barrier_wait(shared.wanted(), wanted.parity);
  }
}

/// A kernel from its begin until all that this block does is done: see `run_role`, and `schedule`. `rest(role)` is for
/// the warps that are left; a whole warp may produce. If nobody waits for what is done at smaller tickets, `in_order` may
/// be false: each cluster begins with the ticket of its index, and `rest` says that the call has begun. Otherwise the
/// cluster with the first ticket does.
template <bool in_order = true, bool warp_produces = false, typename TheShared, typename Consume, typename Produce,
          typename Store, typename Marked, typename Rest>
__device__ __forceinline__ void run_by_ticket(const PeerBegin& peers, TheShared shared, int count,
                                              const Consume& consume, const Produce& produce, const Store& store,
                                              const Marked& marked, const Rest& rest) {
  if (threadIdx.x == 0) {
    shared.init();
    barrier_init_fence();
  }
  const Role role = role_of_thread();
  const int clusters = static_cast<int>(gridDim.x) / CLUSTER;
  int ticket = static_cast<int>(blockIdx.x) / CLUSTER;
  if (in_order && is_scheduler(role)) {
    ticket = take_ticket(peers);
  }
  block_or_cluster_sync();
  run_role<warp_produces>(role, [&] { consume(role.consumer); }, produce, store, [&] {
    if (is_scheduler(role)) {
      if (in_order) {
        tell_if_first(peers, ticket);
      }
      schedule(peers, shared, count, ticket, in_order ? 0 : clusters, marked);
    } else {
      rest(role);
    }
  });
  block_or_cluster_sync();
}

/// Of a flag, besides the call. A rank with other tiles, since its launch failed and it fell back, waits in vain.
constexpr unsigned tile_shape = ((BLOCK_M / 128 << 4 | (BLOCK_N / 16 - 1)) << 1 | (CLUSTER - 1)) << 1 | (parts_of_k - 1);
static_assert(tile_shape < 256);

}  // namespace
