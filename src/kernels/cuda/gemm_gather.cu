/// The all-gather GEMM on Hopper, in one kernel. Blocks multiply own rows first. Meanwhile what stores C in each block
/// fetches the other ranks' rows, piece by piece, through buffers that wait for the next tile of C. A flag says that a
/// piece is there. A warp looks at the flags of the next tile before what loads it comes to it. Where shards have few
/// rows, a tile begins when a quarter of k is there.
///
/// Clusters take tiles by ticket and blocks take pieces by ticket; whoever waits for rows waits for what each block of
/// this rank fetches, whatever tile it is at. The others need not run for it: they must have begun.
#include "gather_order.hpp"
#include "gather_rows.cuh"
#include "gemm_gather_parameters.hpp"
#include "gemm_pipeline.cuh"
#if BLOCK_SCALES
#include "gemm_promotion.cuh"
#endif
#include "gemm_tickets.cuh"
#include "peer_wait.cuh"

// Copies bring the rows, and flags of theirs say so, instead of what stores C.
#ifndef COPIED
#define COPIED 0
#endif

using namespace contextual::kernels::cuda;

namespace {

constexpr bool copied = COPIED != 0;
// With scales of blocks a warp loads, of which one thread loads values.
constexpr bool warp_produces = BLOCK_SCALES != 0;

/// Of a tile's rows and columns, and, for pieces, of what one store covers.
struct GatherMaps {
  TensorMap gathered;
  FetchMaps fetch;
  TensorMap b[GatherWalk::most_products];
  TensorMap c[GatherWalk::most_products];  // of matrices of GatherWalk::matrix_rows
};

constexpr int roles = 3;  // that take tickets besides the consumers: what loads, stores and looks at flags
// Of four tickets: parts of three are outstanding at most.
constexpr int row_slots = 2 * ticket_slots * GatherPieces::most_parts;
static_assert(GemmGatherParameters::most_products == GatherWalk::most_products);

struct GatherShared : TicketShared<roles> {
  /// A part of k of a tile's rows is here.
  __device__ unsigned rows_here(int slot) const { return end() + slot * 8; }
  __device__ unsigned piece_full() const { return rows_here(row_slots); }
  /// One more than the last ticket of which most is loaded.
  __device__ unsigned closing() const { return piece_full() + 8; }
#if FP8
  __device__ unsigned piece_scales() const { return (closing() + 4 + 15) / 16 * 16; }
#endif

  /// One thread.
  __device__ void init() const {
    TicketShared::init();
    for (int slot = 0; slot < row_slots; ++slot) {
      barrier_init(rows_here(slot), 1);
    }
    barrier_init(piece_full(), 1);
    set_shared(closing(), 0);
  }
};
using RowSlot = Place<row_slots>;

/// The tiles of this block, by the tickets of its cluster.
struct TicketWalk {
  GatherWalk walk;

  __device__ explicit TicketWalk(const GemmGatherParameters& p)
      : walk(tile_order, p.m, p.peers.rank, p.rows_per_shard, p.products, p.n) {}

  __device__ int count() const { return walk.count(); }
  __device__ GatherTile operator[](int ticket) const {
    return walk.tile(ticket, CLUSTER > 1 ? static_cast<int>(block_in_cluster()) : 0);
  }
};

/// Copies have parts of their own.
__device__ GatherPieces parts_of(const GemmGatherParameters& p) {
  GatherPieces pieces = pieces_of(p);
  if constexpr (copied) {
    pieces.across_of_part = (pieces.across + p.k_parts - 1) / p.k_parts;
    pieces.parts = (pieces.across + pieces.across_of_part - 1) / pieces.across_of_part;
  }
  return pieces;
}

/// One warp: until the pieces or copies have come of which a part of rows [begin, end) of a source consists, or in vain.
__device__ void wait_for_rows(const GemmGatherParameters& p, const GatherPieces& pieces, int source, int part, int begin,
                              int end, TileFlag now) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  int first = part;
  int count = 1;
  if constexpr (!copied) {
    first = pieces.first_flag(source, part, begin);
    count = pieces.first_flag(source, part, end - 1) + pieces.across_in(part) - first;
  }
  const TileFlag* const flags = p.flags + source * p.flags_per_source + first;
  Patience patience(p.peers);
  int index = lane;  // of the first one of this lane's that has not come
  for (;;) {
    while (index < count && (copied ? load_from_peers(flags + index) : load_here(flags + index)) == now) {
      index += 32;
    }
    if (__all_sync(0xFFFFFFFFU, index >= count)) {
      return;
    }
    const bool ended = index < count && patience.has_ended(PeerFailure::rows_missing + source);
    if (__any_sync(0xFFFFFFFFU, ended)) {
      return;
    }
  }
}

/// One warp of the block, ahead of what loads.
__device__ void look_for_rows(const GemmGatherParameters& p, GatherShared shared) {
  const TicketWalk walk(p);
  const GatherPieces pieces = parts_of(p);
  const int rank = p.peers.rank;
  const TileFlag now = flag_now(p);
  Tickets<GatherShared> tickets(shared);
  RowSlot place;
  for (Ticket ticket = tickets.take_together(); ticket.number < walk.count(); ticket = tickets.take_together()) {
    const GatherTile tile = walk[ticket.number];
    const int row = tile.row;
    const int end = min(row + BLOCK_M, tile.end);
    for (int part = 0; part < pieces.parts; ++part, place.advance()) {
      for (int source = row / p.rows_per_shard; source * p.rows_per_shard < end; ++source) {
        const int shard = source * p.rows_per_shard;
        if (source != rank) {
          wait_for_rows(p, pieces, source, part, max(row - shard, 0), min(end - shard, p.rows_per_shard), now);
        }
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) {
        fence_global_reads();  // here, so that what loads does not stop for it
        barrier_arrive(shared.rows_here(place.stage));
      }
    }
  }
}

#if BLOCK_SCALES
using GatheredScales = ScaleLoader<true>;
#else
struct GatheredScales {
  __device__ GatheredScales(const GemmScales&, int, int, int, int, int) {}
  __device__ void load(Shared, int) const {}
};
#endif

/// Of those that produce: whether all do.
__device__ __forceinline__ bool all_see(bool holds) {
  return warp_produces ? __all_sync(0xFFFFFFFFU, holds) != 0 : holds;
}

/// Of those that produce.
__device__ __forceinline__ bool produces_values() { return !warp_produces || threadIdx.x % 32 == 0; }

/// What `load_tile` loads, and scales; B is loaded up to `k_of_b`.
__device__ __forceinline__ void load_rows(const GatherMaps& maps, const TensorMap& b, int first_k, int k_of_b,
                                          int end_k, const GatherTile& tile, int up, GatherShared shared, Stage& place,
                                          GatheredScales& scales) {
  if constexpr (!warp_produces) {
    int k = first_k;
    for (; k < min(k_of_b, end_k); ++k, place.advance()) {
      load_box(shared.a(place.stage), maps.gathered, k * block_k, tile.row, shared.full(place.stage));
    }
    load_tile(maps.gathered, b, k, end_k, tile.row, tile.column, shared, place, up);
  } else {
    for (int k = first_k; k < end_k; ++k, place.advance()) {
      const unsigned full = shared.full(place.stage);
      barrier_wait(shared.empty(place.stage), place.parity ^ 1);
      if (produces_values()) {
        if (k >= k_of_b) {
          barrier_expect(full, stage_bytes);
          load_box_of_b(b, k, tile.column, up, shared, place.stage);
        }
        load_box(shared.a(place.stage), maps.gathered, k * block_k, tile.row, full);
      }
      __syncwarp();
      scales.load(shared, place.stage);
    }
  }
}

/// One thread of the block, or a warp.
__device__ void produce(const GatherMaps& maps, const GemmGatherParameters& p, GatherShared shared) {
  const TicketWalk walk(p);
  const GatherPieces pieces = parts_of(p);
  const int k_blocks = (p.k + block_k - 1) / block_k;
  const int k_blocks_of_part = pieces.across_of_part * (GatherPieces::columns / block_k);
  const int k_of_ticket = max(k_blocks - ticket_k_blocks, 0);
  // Behind the last wait for rows: this block fetches until then.
  const int k_of_closing = max(k_blocks - closing_k_blocks, (pieces.parts - 1) * k_blocks_of_part);
  Tickets<GatherShared> tickets(shared);
  RowSlot rows;
  Stage place;
  const auto take = [&] { return warp_produces ? tickets.take_together() : tickets.take(); };
  for (Ticket ticket = take(); ticket.number < walk.count(); ticket = take()) {
    const GatherTile tile = walk[ticket.number];
    const TensorMap& b = maps.b[tile.product];
    const int up = p.n[tile.product];
    GatheredScales scales(p.gemm_scales[tile.product], k_blocks, up, tile.row, min(tile.end, p.m), tile.column);
    int k_of_b = 0;  // up to which B is loaded
    Stage place_of_b = place;
    for (int k = 0; k < k_blocks; rows.advance()) {
      if (k_of_b < k) {
        k_of_b = k;
        place_of_b = place;
      }
      // What does not wait for rows goes ahead. Within a tile a stage comes free with the products of the next one.
      const int ahead = min(k_blocks, k + (k == 0 ? STAGES : STAGES - 1));
      while (k_of_b < ahead && !all_see(barrier_holds(shared.rows_here(rows.stage), rows.parity))) {
        barrier_wait(shared.empty(place_of_b.stage), place_of_b.parity ^ 1);
        if (produces_values()) {
          barrier_expect(shared.full(place_of_b.stage), stage_bytes);
          load_box_of_b(b, k_of_b, tile.column, up, shared, place_of_b.stage);
        }
        place_of_b.advance();
        ++k_of_b;
      }
      barrier_wait(shared.rows_here(rows.stage), rows.parity);
      const int end = min(k_blocks, k + k_blocks_of_part);
      while (k < end) {
        if (k == k_of_ticket && produces_values()) {
          want_ticket(shared);
        }
        if (k == k_of_closing && produces_values()) {
          set_shared(shared.closing(), static_cast<unsigned>(ticket.number) + 1);
        }
        const int stop = min(k < k_of_ticket ? min(end, k_of_ticket) : end, k < k_of_closing ? k_of_closing : end);
        load_rows(maps, b, k, k_of_b, stop, tile, up, shared, place, scales);
        k = stop;
      }
    }
  }
}

/// One thread of the block. Whoever is first says that this rank's call has begun.
__device__ void begin(const GemmGatherParameters& p) {
  const int before = static_cast<int>(atomicAdd(&p.peers.control[p.peers.rank]->begun, 1U));
  tell_if_first(p.peers, before);
  if (copied && before == 0) {
    release_copies(p.peers, flag_now(p));
  }
}

/// One thread of the block.
__device__ void store(const GatherMaps& maps, const GemmGatherParameters& p, GatherShared shared) {
  const TicketWalk walk(p);
  Tickets<GatherShared> tickets(shared);
  Storer storer(shared, store_buffers);
  Fetcher fetcher(maps.fetch, p, shared);
  for (Ticket ticket = tickets.take(); ticket.number < walk.count(); ticket = tickets.take()) {
    if (!copied && fetcher.fetches()) {
      wait_for_stores<0>();
      fetcher.fetch(storer.kept_buffer(), ticket.number);
    }
    storer.empty();
    const GatherTile tile = walk[ticket.number];
    storer.tile([&](int y, int x, unsigned from) {
      store_box(maps.c[tile.product], tile.column + x, tile.y + y, tile.z, from);
    });
    if (copied || !fetcher.fetches()) {
      storer.empty();
    }
  }
  wait_for_writes();  // a call that has failed writes over them
}

/// One warpgroup.
template <bool fp16>
__device__ __forceinline__ void consume(const GemmGatherParameters& p, GatherShared shared, int consumer) {
  const int count = TicketWalk(p).count();
  const int k_blocks = (p.k + block_k - 1) / block_k;
  Tickets<GatherShared> tickets(shared);
  Stage place;
  StoreBuffer buffer{0, 1};  // the buffers come from what fetches
  Sums sums;
  for (Ticket ticket = tickets.take_together(); ticket.number < count; ticket = tickets.take_together()) {
#if BLOCK_SCALES
    // Sums are handed over before the next tile begins: what stores them fetches the rows that it may wait for.
    const Scales scales(p.gemm_scales[0], 0, 0, TicketWalk(p)[ticket.number].column, consumer);
    multiply_with_lead<fp16>(sums, scales, shared, place, k_blocks, consumer);
#else
    if constexpr (FP8 != 0) {
      const GatherTile tile = TicketWalk(p)[ticket.number];
      barrier_wait(shared.full(place.stage), place.parity);  // with the first columns of rows come their scales
      const TileScales scales(p.gemm_scales[tile.product], p.n[tile.product], tile.row + first_row_of(consumer),
                              tile.column + first_column_of(consumer));
      multiply<fp16>(sums, shared, place, k_blocks, consumer);
      scales.apply(sums);
    } else {
      multiply<fp16>(sums, shared, place, k_blocks, consumer);
    }
#endif
    if (p.finishes) {
      const GatherTile tile = TicketWalk(p)[ticket.number];
      finish_tile<fp16>(sums, p.epilogue[tile.product], tile.column, consumer);
    }
    hand_over_tile<fp16>(sums, shared, buffer, consumer);
  }
}

}  // namespace

extern "C" __global__ __launch_bounds__(block_threads, 1) void hopper_gemm_gather(
    const __grid_constant__ GatherMaps maps, const __grid_constant__ GemmGatherParameters p) {
  const auto shared = shared_memory<GatherShared>();
  if (threadIdx.x == 0) {
    prefetch(maps.gathered);
    prefetch(maps.b[0]);
  }
  constexpr bool in_order = false;  // whoever waits for rows waits for what blocks fetch, whatever tile they are at
  run_by_ticket<in_order, warp_produces>(
      p.peers, shared, TicketWalk(p).count(),
      [&](int consumer) { p.fp16 ? consume<true>(p, shared, consumer) : consume<false>(p, shared, consumer); },
      [&] { produce(maps, p, shared); },
      [&] { store(maps, p, shared); },
      [](int) { return false; },
      [&](const Role& role) {
        if (role.warp == 3) {
          look_for_rows(p, shared);
        } else if (threadIdx.x % 32 == 1) {
          begin(p);
        }
      });
  const auto finish = [&](int lane) {
    if constexpr (!copied) {
      wait_for_fetches(p, lane);
    }
  };
  leave(p.peers, finish, [&](int warp, int warps) {
    for (int product = 0; product < p.products; ++product) {
      fill_with_nan(p.output[product], p.m, p.n[product], p.pitch[product], warp, warps);
    }
  });
}
