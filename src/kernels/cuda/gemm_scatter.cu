/// The GEMM reduce-scatter on Hopper, in one kernel. Each tile of C belongs to one rank. A tile of another rank is
/// stored into that rank's slot for this one, and a flag says so. For an own tile the others' parts come through the
/// same ring as A and B, behind them, and are added to the products in float and in the order of the ranks; and so does
/// the residual.
///
/// Clusters take tiles by ticket, in the order of ScatterWalk: whoever waits for a part waits for a tile that its
/// source takes at a smaller ticket.
///
/// If a cluster shares a tile, each of its blocks multiplies all columns over half of k, sends the sums of the columns
/// that the other block keeps into that block's store buffers, and adds what comes from there to its own.
#include "gemm_order.hpp"
#include "gemm_pipeline.cuh"
#include "gemm_scatter_parameters.hpp"
#include "gemm_tickets.cuh"
#include "peer_wait.cuh"

using namespace contextual::kernels::cuda;

namespace {

struct ScatterMaps {
  TensorMap a;
  TensorMap b;
  TensorMap slots;                              ///< the others' parts, in own memory
  TensorMap residual;                           ///< of own rows, if there is one
  TensorMap of_owner[PeerControl::most_ranks];  ///< own rows of the result; this rank's slot at another rank
};

__device__ TileFlag flag_now(const PeerControl& own) { return (own.epoch + 1) << tile_flag_shape_bits | tile_shape; }

// Of a part: what one store of each consumer covers. As many to a stage as find room.
constexpr int box_bytes = consumers * store_bytes;
constexpr int boxes_in_stage = stage_bytes / box_bytes;
constexpr int boxes_in_part = slabs * stores;
static_assert(boxes_in_stage > 0);

/// Tickets are taken by what loads and by what stores. If the cluster shares a tile, the other block's sums come into the
/// store buffers of the consumer, all of them.
struct ScatterShared : TicketShared<2> {
  __device__ unsigned sums_full(int consumer) const { return TicketShared::end() + consumer * 8; }
  __device__ unsigned sums_empty(int consumer) const { return sums_full(consumers) + consumer * 8; }

  /// One thread.
  __device__ void init() const {
    TicketShared::init();
    for (int consumer = 0; parts_of_k > 1 && consumer < consumers; ++consumer) {
      barrier_init(sums_full(consumer), 1);
      barrier_init(sums_empty(consumer), 1);
    }
  }
  __device__ unsigned box(int stage, int box, int consumer) const {
    return a(stage) + box * box_bytes + consumer * store_bytes;
  }
};

/// The tiles of this block, by the tickets of its cluster.
struct Walk {
  ScatterWalk walk;

  __device__ explicit Walk(const GemmScatterParameters& p)
      : walk(tile_order, p.peers.rank, p.peers.ranks, p.rows_per_shard, p.m, p.n) {}

  __device__ int count() const { return walk.count(); }
  __device__ ScatterTile operator[](int ticket) const {
    return walk.tile(ticket, CLUSTER > 1 ? static_cast<int>(block_in_cluster()) : 0);
  }
};

/// The blocks of k that this block multiplies.
struct Depth {
  int first = 0;
  int end;

  __device__ explicit Depth(int k) : end((k + block_k - 1) / block_k) {
    if constexpr (parts_of_k > 1) {
      const int half = (end + 1) / 2;
      (block_in_cluster() == 0 ? end : first) = half;
    }
  }
};

/// What is added to an own tile: the others' parts, then the residual.
__device__ int count_parts(const GemmScatterParameters& p) { return p.peers.ranks - 1 + (p.has_residual ? 1 : 0); }

/// Loads the parts of an own tile, one box of all of them after another.
__device__ void load_parts(const ScatterMaps& maps, const GemmScatterParameters& p, const ScatterTile& tile,
                           ScatterShared shared, Stage& place) {
  const int parts = count_parts(p);
  int slab = 0;
  int index = 0;  // along n
  int part = 0;
  for (int rest = boxes_in_part * parts; rest > 0; rest -= boxes_in_stage, place.advance()) {
    const unsigned full = shared.full(place.stage);
    const int boxes = min(rest, boxes_in_stage);
    barrier_wait(shared.empty(place.stage), place.parity ^ 1);
    barrier_expect(full, boxes * box_bytes);
    for (int box = 0; box < boxes; ++box) {
      const bool is_residual = part == p.peers.ranks - 1;
      const int source = part < p.peers.rank ? part : part + 1;
      const int row = (is_residual ? 0 : source * p.rows_per_shard) + tile.row + slab * slab_m;
      for (int consumer = 0; consumer < consumers; ++consumer) {
        load_box(shared.box(place.stage, box, consumer), is_residual ? maps.residual : maps.slots,
                 tile.column + first_column_of(consumer) + first_column_of_store(index), row + first_row_of(consumer), full);
      }
      if (++part == parts) {
        part = 0;
        ++index;
      }
      if (index == stores) {
        index = 0;
        ++slab;
      }
    }
  }
}

/// One thread of the block.
__device__ void produce(const ScatterMaps& maps, const GemmScatterParameters& p, ScatterShared shared) {
  const Walk walk(p);
  const int rank = p.peers.rank;
  const Depth depth(p.k);
  const TileFlag now = flag_now(*p.peers.control[rank]);
  Tickets<ScatterShared> tickets(shared);
  Stage place;
  for (Ticket ticket = tickets.take(); ticket.number < walk.count(); ticket = tickets.take()) {
    const ScatterTile tile = walk[ticket.number];
    load_tile_of_ticket(maps.a, maps.b, depth.first, depth.end, tile.a_row, tile.column, shared, place);
    if (!ticket.marked) {
      continue;
    }
    for (int source = 0; tile.owner == rank && source < p.peers.ranks; ++source) {
      const TileFlag* const flag = p.flags[rank] + source * p.flags_per_source + tile.flag;
      if (source != rank) {
        wait_until(p.peers, PeerFailure::part_missing + source, [&] { return load_from_peers(flag) == now; });
      }
    }
    fence_global_reads();
    load_parts(maps, p, tile, shared, place);
  }
}

/// Waits for a turn. More blocks at a time than fill the links would only hold up their loads, which queue behind what
/// they send: at the end of the first tiles all of them have something.
__device__ void begin_to_send(PeerControl& own) {
  constexpr unsigned most_senders = 48;
  const unsigned turn = atomicAdd(&own.senders, 1U);
  while (static_cast<int>(turn - load_from_peers(&own.sent)) >= static_cast<int>(most_senders)) {
    __nanosleep(200);
  }
}

/// One thread of the block: own tiles go to the result, the others where their owners wait for them. What its owner has
/// no room for yet, since it is in the call before, waits.
__device__ void store(const ScatterMaps& maps, const GemmScatterParameters& p, ScatterShared shared) {
  const Walk walk(p);
  const int rank = p.peers.rank;
  PeerControl& own = *p.peers.control[rank];
  const TileFlag now = flag_now(own);
  Arrivals arrivals(p.peers);
  Tickets<ScatterShared> tickets(shared);
  Storer storer(shared);
  for (Ticket ticket = tickets.take(); ticket.number < walk.count(); ticket = tickets.take()) {
    const ScatterTile tile = walk[ticket.number];
    const int owner = tile.owner;
    const bool goes = owner >= 0 && arrivals.wait(owner);
    const bool sends = goes && owner != rank;
    if (sends) {
      storer.wait_for_tile();
      begin_to_send(own);
    }
    storer.tile(maps.of_owner[max(owner, 0)], tile.row, tile.column, goes);
    storer.empty();
    for (int consumer = 0; parts_of_k > 1 && consumer < consumers; ++consumer) {
      barrier_arrive_at(shared.sums_empty(consumer), block_in_cluster() ^ 1);
    }
    if (sends) {
      wait_for_writes();
      fence_global_writes();
      store_for_peers(p.flags[owner] + rank * p.flags_per_source + tile.flag, now);
      atomicAdd(&own.sent, 1U);
    }
  }
  wait_for_writes();  // a call that has failed writes over them
}

/// Adds the other block's sums to those that this one keeps, and sends the others there. What a warp gets lies where it
/// puts what is stored, so that the warps need not wait for each other.
__device__ __forceinline__ void exchange_sums(Sums& sums, ScatterShared shared, int consumer, Place<1>& place) {
  constexpr int values = kept_n / 2;                    // of a thread
  constexpr int warp_bytes = store_bytes / warps;       // of a buffer
  constexpr int pieces = warp_bytes / (32 * 16);        // of 16 bytes, of a thread
  static_assert(parts_of_k == 1 || values / 4 == pieces * store_buffers);
  const unsigned thread = threadIdx.x % warpgroup_threads;
  const unsigned own = shared.store(consumer, 0) + thread / 32 * warp_bytes + thread % 32 * 16;
  const unsigned full = shared.sums_full(consumer);
  if (thread == 0) {
    barrier_expect(full, store_buffers * store_bytes);
  }
  const unsigned there = address_in(block_in_cluster() ^ 1, own);
  const unsigned told = address_in(block_in_cluster() ^ 1, full);
  const auto offset = [](int i) { return i / 4 / pieces * store_bytes + i / 4 % pieces * (32 * 16); };
  barrier_wait_for_cluster(shared.sums_empty(consumer), place.parity ^ 1);
#pragma unroll
  for (int i = 0; i < values; i += 4) {
    send_16_bytes(there + offset(i), sums[0] + values + i, told);
  }
  barrier_wait_for_cluster(full, place.parity);
#pragma unroll
  for (int i = 0; i < values; i += 4) {
    const float4 more = load_16_bytes(own + offset(i));
    sums[0][i] += more.x;
    sums[0][i + 1] += more.y;
    sums[0][i + 2] += more.z;
    sums[0][i + 3] += more.w;
  }
  __syncwarp();
  place.advance();
}

/// Where a consumer is among the parts of an own tile.
struct Parts {
  int rest;
  int box = 0;  // of the stage
};

/// Adds the next part of a box, but for its first `skip` columns.
template <bool fp16>
__device__ __forceinline__ void add_next(float* sums, ScatterShared shared, int consumer, Stage& place, Parts& parts,
                                         int skip) {
  if (parts.box == 0) {
    barrier_wait(shared.full(place.stage), place.parity);
  }
#pragma unroll
  for (int x = 0; x < store_n; x += 16) {
    if (x < skip) {
      continue;
    }
    unsigned values[4];
    load_matrices(matrix_row(shared.box(place.stage, parts.box, consumer), x), values[0], values[1], values[2],
                  values[3]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 part = unpack<fp16>(values[i]);
      sums[x / 2 + 2 * i] += part.x;
      sums[x / 2 + 2 * i + 1] += part.y;
    }
  }
  ++parts.box;
  if (--parts.rest == 0 || parts.box == boxes_in_stage) {
    fence_shared_writes();  // the copy engine writes there next
    __syncwarp();
    release(shared.empty(place.stage));
    place.advance();
    parts.box = 0;
  }
}

/// Adds the ranks' parts of a box, of which own ones are in `d`, in float and in the order of the ranks, but for its first
/// `skip` columns.
template <bool fp16>
__device__ __forceinline__ void add_ranks(float* d, const GemmScatterParameters& p, ScatterShared shared, int consumer,
                                          Stage& place, Parts& parts, int skip) {
  float sums[store_n / 2] = {};
  for (int source = 0; source < p.peers.ranks; ++source) {
    if (source != p.peers.rank) {
      add_next<fp16>(sums, shared, consumer, place, parts, skip);
      continue;
    }
#pragma unroll
    for (int i = 0; i < store_n / 2; i += 2) {
      const float2 rounded = unpack<fp16>(pack<fp16>(d[i], d[i + 1]));
      sums[i] += rounded.x;
      sums[i + 1] += rounded.y;
    }
  }
#pragma unroll
  for (int i = 0; i < store_n / 2; ++i) {
    d[i] = i < skip / 2 ? d[i] : sums[i];
  }
}

/// Makes the result of an own tile of its products.
template <bool fp16>
__device__ __forceinline__ void complete_tile(Sums& sums, const GemmScatterParameters& p, ScatterShared shared,
                                              int consumer, Stage& place, int ticket) {
  Parts parts{boxes_in_part * count_parts(p)};
  if (applies(p.epilogue) || p.has_residual) {
    const int column = Walk(p)[ticket].column + first_column_of(consumer);
    turn_through(sums, [&](float* d, int first, int repeated) {
      add_ranks<fp16>(d, p, shared, consumer, place, parts, repeated);
      finish_box<fp16>(d, p.epilogue, column + first, repeated);
      if (p.has_residual) {
        add_next<fp16>(d, shared, consumer, place, parts, repeated);
      }
    });
    return;
  }
  for_each_box(sums, [&](float* d, int, int repeated) {
    add_ranks<fp16>(d, p, shared, consumer, place, parts, repeated);
  });
}

/// One warpgroup.
template <bool fp16>
__device__ __forceinline__ void consume(const GemmScatterParameters& p, ScatterShared shared, int consumer) {
  const int count = Walk(p).count();
  const Depth depth(p.k);
  Tickets<ScatterShared> tickets(shared);
  Stage place;
  StoreBuffer buffer;
  Place<1> exchange;
  Sums sums;
  for (Ticket ticket = tickets.take_together(); ticket.number < count; ticket = tickets.take_together()) {
    multiply<fp16>(sums, shared, place, depth.end - depth.first, consumer);
    if constexpr (parts_of_k > 1) {
      exchange_sums(sums, shared, consumer, exchange);
    }
    if (ticket.marked) {
      complete_tile<fp16>(sums, p, shared, consumer, place, ticket.number);
    }
    hand_over_tile<fp16>(sums, shared, buffer, consumer);
  }
}

}  // namespace

extern "C" __global__ __launch_bounds__(block_threads, 1) void hopper_gemm_scatter(
    const __grid_constant__ ScatterMaps maps, const __grid_constant__ GemmScatterParameters p) {
  const auto shared = shared_memory<ScatterShared>();
  if (threadIdx.x == 0) {
    prefetch(maps.a);
    prefetch(maps.b);
  }
  const Walk walk(p);
  run_by_ticket(
      p.peers, shared, walk.count(),
      [&](int consumer) { p.fp16 ? consume<true>(p, shared, consumer) : consume<false>(p, shared, consumer); },
      [&] { produce(maps, p, shared); },
      [&] { store(maps, p, shared); },
      [&](int ticket) { return walk[ticket].own; },
      [](const Role&) {});
  leave(p.peers, [](int) {},
        [&](int warp, int warps) { fill_with_nan(p.output, p.own_rows, p.n, p.pitch, warp, warps); });
}
