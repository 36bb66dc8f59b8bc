/// The all-gather GEMM on Hopper, in one kernel. Blocks multiply own rows first. Meanwhile what stores C in each block
/// fetches the other ranks' rows, piece by piece, through buffers that wait for the next tile of C. A flag says that a
/// piece is there. A warp looks at the flags of the next tile before what loads it comes to it. Where shards have few
/// rows, a tile begins when a quarter of k is there.
///
/// Clusters take tiles by ticket and blocks take pieces by ticket; whoever waits for rows waits for what each block of
/// this rank fetches, whatever tile it is at. The others need not run for it: they must have begun.
#include "gather_order.hpp"
#include "gemm_gather_parameters.hpp"
#include "gemm_pipeline.cuh"
#include "gemm_tickets.cuh"
#include "peer_wait.cuh"

using namespace contextual::kernels::cuda;

namespace {

/// Of a tile's rows and columns, and, for pieces, of what one store covers.
struct GatherMaps {
  TensorMap gathered;
  TensorMap from[PeerControl::most_ranks];  ///< by rank: its rows in its gathered matrix
  TensorMap to[PeerControl::most_ranks];    ///< the same rows in the own one
  TensorMap b[GatherWalk::most_products];
  TensorMap c[GatherWalk::most_products];
};

constexpr int roles = 3;  // that take tickets besides the consumers: what loads, stores and looks at flags
// Of four tickets: parts of three are outstanding at most.
constexpr int row_slots = 2 * ticket_slots * GatherPieces::most_parts;
// The last ones of a tile, before which C's buffers are given back: some microseconds.
constexpr int closing_k_blocks = 4 * (128 * 256) / (BLOCK_M * BLOCK_N);
constexpr int piece_bytes = consumers * store_bytes;
static_assert(GatherPieces::rows == slab_m && GatherPieces::columns == consumers * store_n);
static_assert(store_buffers > 1);
static_assert(GemmGatherParameters::most_products == GatherWalk::most_products);

struct GatherShared : TicketShared<roles> {
  /// A part of k of a tile's rows is here.
  __device__ unsigned rows_here(int slot) const { return end() + slot * 8; }
  __device__ unsigned piece_full() const { return rows_here(row_slots); }
  /// One more than the last ticket of which most is loaded.
  __device__ unsigned closing() const { return piece_full() + 8; }

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
struct Walk {
  GatherWalk walk;

  __device__ explicit Walk(const GemmGatherParameters& p)
      : walk(tile_order, p.m, min(p.peers.rank * p.rows_per_shard, p.m - 1), p.products, p.n) {}

  __device__ int count() const { return walk.count(); }
  __device__ GatherTile operator[](int ticket) const {
    return walk.tile(ticket, CLUSTER > 1 ? static_cast<int>(block_in_cluster()) : 0);
  }
};

__device__ GatherPieces pieces_of(const GemmGatherParameters& p) { return {p.m, p.rows_per_shard, p.k}; }

__device__ TileFlag flag_now(const GemmGatherParameters& p) {
  return (p.peers.control[p.peers.rank]->epoch + 1) << tile_flag_shape_bits;
}

/// One warp: until the pieces have come of which a part of rows [begin, end) of a source consists, or in vain.
__device__ void wait_for_pieces(const GemmGatherParameters& p, const GatherPieces& pieces, int source, int part,
                                int begin, int end, TileFlag now) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first = pieces.first_flag(source, part, begin);
  const int count = pieces.first_flag(source, part, end - 1) + pieces.across_in(part) - first;
  const TileFlag* const flags = p.flags + source * p.flags_per_source + first;
  Patience patience(p.peers);
  int index = lane;  // of the first one of this lane's that has not come
  for (;;) {
    while (index < count && load_here(flags + index) == now) {
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
  const Walk walk(p);
  const GatherPieces pieces = pieces_of(p);
  const int rank = p.peers.rank;
  const TileFlag now = flag_now(p);
  Tickets<GatherShared> tickets(shared);
  RowSlot place;
  for (Ticket ticket = tickets.take_together(); ticket.number < walk.count(); ticket = tickets.take_together()) {
    const int row = walk[ticket.number].row;
    const int end = min(row + BLOCK_M, p.m);
    for (int part = 0; part < pieces.parts; ++part, place.advance()) {
      for (int source = row / p.rows_per_shard; source * p.rows_per_shard < end; ++source) {
        const int shard = source * p.rows_per_shard;
        if (source != rank) {
          wait_for_pieces(p, pieces, source, part, max(row - shard, 0), min(end - shard, p.rows_per_shard), now);
        }
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) {
        barrier_arrive(shared.rows_here(place.stage));
      }
    }
  }
}

/// One thread of the block.
__device__ void produce(const GatherMaps& maps, const GemmGatherParameters& p, GatherShared shared) {
  const Walk walk(p);
  const GatherPieces pieces = pieces_of(p);
  const int k_blocks = (p.k + block_k - 1) / block_k;
  const int k_blocks_of_part = pieces.across_of_part * (GatherPieces::columns / block_k);
  const int last_part = (pieces.parts - 1) * k_blocks_of_part;
  Tickets<GatherShared> tickets(shared);
  RowSlot rows;
  Stage place;
  Stage place_of_b;
  for (Ticket ticket = tickets.take(); ticket.number < walk.count(); ticket = tickets.take()) {
    const GatherTile tile = walk[ticket.number];
    int k_of_b = 0;
    const auto load_b = [&] {
      barrier_wait(shared.empty(place_of_b.stage), place_of_b.parity ^ 1);
      barrier_expect(shared.full(place_of_b.stage), stage_bytes);
      load_box_of_b(maps.b[tile.product], k_of_b, tile.column, p.n[tile.product], shared, place_of_b.stage);
      place_of_b.advance();
      ++k_of_b;
    };
    for (int k = 0; k < k_blocks; ++k, place.advance()) {
      if (k % k_blocks_of_part == 0) {
        // What does not wait for rows goes ahead. Within a tile a stage comes free with the products of the next one.
        const int ahead = min(k_blocks, k + (k == 0 ? STAGES : STAGES - 1));
        while (k_of_b < ahead && !barrier_holds(shared.rows_here(rows.stage), rows.parity)) {
          load_b();
        }
        barrier_wait(shared.rows_here(rows.stage), rows.parity);
        rows.advance();
        fence_global_reads();
      }
      // Behind the last wait for rows: this block fetches until then.
      if (k == max(k_blocks - closing_k_blocks, last_part)) {
        set_shared(shared.closing(), static_cast<unsigned>(ticket.number) + 1);
      }
      if (k == k_of_b) {
        load_b();
      }
      load_box(shared.a(place.stage), maps.gathered, k * block_k, tile.row, shared.full(place.stage));
    }
  }
}

/// Fetches the others' rows, those of the next rank first. One thread of the block, which also stores C, and lends a
/// buffer of each consumer.
class Fetcher {
 public:
  __device__ Fetcher(const GatherMaps& maps, const GemmGatherParameters& p, GatherShared shared)
      : maps_(maps), p_(p), shared_(shared), pieces_(pieces_of(p)), count_(0), patience_(p.peers) {
    for (int rank = 0; rank < p.peers.ranks; ++rank) {
      count_ += rank == p.peers.rank ? 0 : pieces_.count(rank);
    }
    fetches_ = count_ > 0;
  }

  /// There may be more to fetch.
  __device__ bool fetches() const { return fetches_; }

  /// Fetches until C's buffers are wanted for the tile of this ticket. Nothing reads the buffer.
  __device__ void fetch(int buffer, int ticket) {
    while (fetches_ && look_at_shared(shared_.closing()) <= static_cast<unsigned>(ticket)) {
      if (!all_have_begun()) {
        continue;
      }
      const int index = static_cast<int>(atomicAdd(&own().pieces, 1U));
      fetches_ = index < count_;
      if (fetches_) {
        copy(index, buffer);
      }
    }
    tell();
  }

 private:
  __device__ PeerControl& own() const { return *p_.peers.control[p_.peers.rank]; }

  /// Looks whether the other ranks' calls have begun. In vain, there is nothing to fetch.
  __device__ bool all_have_begun() {
    for (int rank = 0; !begun_ && rank < p_.peers.ranks; ++rank) {
      if (rank != p_.peers.rank && !has_begun(p_.peers, rank)) {
        fetches_ = !patience_.has_ended(PeerFailure::not_arrived + rank);
        return false;
      }
    }
    if (!begun_) {
      fence_global_reads();
      begun_ = true;
    }
    return true;
  }

  __device__ void copy(int index, int buffer) {
    int source = p_.peers.rank;
    for (int rest = index; rest >= 0; rest -= pieces_.count(source)) {
      source = source + 1 < p_.peers.ranks ? source + 1 : 0;
      index = rest;
    }
    const GatherPiece piece = pieces_.piece(source, index);
    barrier_expect(shared_.piece_full(), piece_bytes);
    for (int half = 0; half < consumers; ++half) {
      load_box(shared_.store(half, buffer), maps_.from[source], piece.column + half * store_n, piece.row,
               shared_.piece_full());
    }
    tell();  // meanwhile
    barrier_wait(shared_.piece_full(), parity_);
    parity_ ^= 1;
    for (int half = 0; half < consumers; ++half) {
      store_box(maps_.to[source], piece.column + half * store_n, piece.row, shared_.store(half, buffer));
    }
    commit_stores();
    untold_ = p_.flags + source * p_.flags_per_source + index;
    wait_for_stores<0>();
  }

  /// Waits until the last piece has been written, and says so. Whoever writes the last one of all tells the other ranks
  /// that this one needs their rows no more.
  __device__ void tell() {
    if (untold_ == nullptr) {
      return;
    }
    wait_for_writes();
    fence_global_writes();
    store_here(untold_, flag_now(p_));
    untold_ = nullptr;
    __threadfence();
    if (static_cast<int>(atomicAdd(&own().fetched_pieces, 1U)) == count_ - 1) {
      for (int rank = 0; rank < p_.peers.ranks; ++rank) {
        store_for_peers(&p_.peers.control[rank]->fetched[p_.peers.rank], own().epoch + 1);
      }
    }
  }

  const GatherMaps& maps_;
  const GemmGatherParameters& p_;
  GatherShared shared_;
  GatherPieces pieces_;
  int count_;
  bool fetches_;
  bool begun_ = false;
  Patience patience_;
  unsigned parity_ = 0;
  TileFlag* untold_ = nullptr;  // of the piece that is being written
};

/// One thread of the block.
__device__ void store(const GatherMaps& maps, const GemmGatherParameters& p, GatherShared shared) {
  const Walk walk(p);
  Tickets<GatherShared> tickets(shared);
  Storer storer(shared, store_buffers);
  Fetcher fetcher(maps, p, shared);
  for (Ticket ticket = tickets.take(); ticket.number < walk.count(); ticket = tickets.take()) {
    if (fetcher.fetches()) {
      wait_for_stores<0>();
      fetcher.fetch(storer.kept_buffer(), ticket.number);
    }
    storer.empty();
    const GatherTile tile = walk[ticket.number];
    storer.tile(maps.c[tile.product], tile.row, tile.column);
    if (!fetcher.fetches()) {
      storer.empty();
    }
  }
  wait_for_writes();  // a call that has failed writes over them
}

/// One warpgroup.
template <bool fp16>
__device__ __forceinline__ void consume(const GemmGatherParameters& p, GatherShared shared, int consumer) {
  const int count = Walk(p).count();
  const int k_blocks = (p.k + block_k - 1) / block_k;
  Tickets<GatherShared> tickets(shared);
  Stage place;
  StoreBuffer buffer{0, 1};  // the buffers come from what fetches
  Sums sums;
  for (Ticket ticket = tickets.take_together(); ticket.number < count; ticket = tickets.take_together()) {
    multiply<fp16>(sums, shared, place, k_blocks, consumer);
    if (p.finishes) {
      const GatherTile tile = Walk(p)[ticket.number];
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
  run_by_ticket(
      p.peers, shared, Walk(p).count(),
      [&](int consumer) { p.fp16 ? consume<true>(p, shared, consumer) : consume<false>(p, shared, consumer); },
      [&] { produce(maps, p, shared); },
      [&] { store(maps, p, shared); },
      [](int) { return false; },
      [&](const Role& role) {
        if (role.warp == 3) {
          look_for_rows(p, shared);
        }
      });
  if (threadIdx.x < 32) {
    const GatherPieces pieces = pieces_of(p);
    const auto wait_for_fetches = [&](int lane) {
      const PeerControl& own = *p.peers.control[p.peers.rank];
      if (lane < p.peers.ranks && lane != p.peers.rank && pieces.count(p.peers.rank) > 0) {
        wait_until(p.peers, PeerFailure::not_done + lane,
                   [&] { return load_from_peers(&own.fetched[lane]) > own.epoch; });
      }
    };
    leave(p.peers, wait_for_fetches, [&](int lane) {
      for (int product = 0; product < p.products; ++product) {
        fill_with_nan(p.output[product], p.m, p.n[product], p.pitch[product], lane);
      }
    });
  }
}
