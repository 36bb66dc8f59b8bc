/// A GEMM of few rows on Hopper whose k is split between ranks, and between the blocks of a rank, in one kernel. Each
/// tile is stored into the slots of the ranks that get its rows, this one's too, and flags say so. At the end each rank
/// adds the parts of its rows.
///
/// Clusters take tiles and sums by ticket, in the order of SplitWalk: whoever adds waits for tiles that their sources
/// take at smaller tickets.
#include "gemm_pipeline.cuh"
#include "gemm_split_parameters.hpp"
#include "gemm_tickets.cuh"
#include "peer_wait.cuh"
#include "split_order.hpp"

using namespace contextual::kernels::cuda;

namespace {

/// By owner: the slots of this rank and all others there.
struct SplitMaps {
  TensorMap slots[PeerControl::most_ranks];
};

using SplitShared = TicketShared<2>;  // tickets are taken by what loads and by what stores

/// The tiles and sums of this block, by the tickets of its cluster.
struct Walk : SplitWalk {
  bool all_rows;
  int owner;  ///< of the rows that this rank gets

  __device__ explicit Walk(const GemmSplitParameters& p)
      : SplitWalk(tile_order, p.splits, p.m, p.n, p.rows_of_owner),
        all_rows(p.all_rows),
        owner(p.all_rows ? 0 : p.peers.rank) {}

  __device__ int count() const { return SplitWalk::count(owner); }
  __device__ bool is_sum(int ticket) const { return ticket >= tiles(); }
  __device__ SplitTile tile(int ticket) const { return SplitWalk::tile(ticket, block()); }
  __device__ SplitSum sum(int ticket) const { return SplitWalk::sum(owner, ticket, block()); }
  /// A rank gets rows of the tile.
  __device__ bool goes_to(int rank, const SplitTile& tile) const {
    return (all_rows ? tile.owner == 0 : tile.owner == rank) && tile.row < rows_of(tile.owner);
  }

 private:
  __device__ static int block() { return CLUSTER > 1 ? static_cast<int>(block_in_cluster()) : 0; }
};

/// The part of k of a tile, in blocks.
struct Depth {
  int first;
  int end;

  __device__ Depth(const GemmSplitParameters& p, int split) {
    const int all = (p.k + block_k - 1) / block_k;
    first = split * all / p.splits;
    end = (split + 1) * all / p.splits;
  }
};

/// Differs from that of a kernel that does not split k.
__device__ TileFlag flag_now(const GemmSplitParameters& p) {
  const unsigned shape = static_cast<unsigned>(p.splits) << 8 | tile_shape;
  return (p.peers.control[p.peers.rank]->epoch + 1) << tile_flag_shape_bits | shape;
}

/// One thread of the block.
__device__ void produce(const TensorMap& a, const TensorMap& b, const GemmSplitParameters& p, SplitShared shared) {
  const Walk walk(p);
  Tickets<SplitShared> tickets(shared);
  Stage place;
  for (Ticket ticket = tickets.take(); ticket.number < walk.count(); ticket = tickets.take()) {
    if (ticket.marked) {
      want_ticket(shared);
      continue;
    }
    const SplitTile tile = walk.tile(ticket.number);
    const Depth depth(p, tile.split);
    load_tile_of_ticket(a, b, depth.first, depth.end, tile.owner * p.rows_of_owner + tile.row, tile.n * BLOCK_N, shared,
                        place);
  }
}

/// One thread of the block: tiles go to the ranks that get their rows, which must have begun the call.
__device__ void store(const SplitMaps& maps, const GemmSplitParameters& p, SplitShared shared) {
  const Walk walk(p);
  const int rank = p.peers.rank;
  const TileFlag now = flag_now(p);
  Arrivals arrivals(p.peers);
  Tickets<SplitShared> tickets(shared);
  Storer storer(shared);
  for (Ticket ticket = tickets.take(); ticket.number < walk.count(); ticket = tickets.take()) {
    if (ticket.marked) {
      continue;
    }
    const SplitTile tile = walk.tile(ticket.number);
    unsigned to = 0;  // bits of ranks
    for (int to_rank = 0; to_rank < p.peers.ranks; ++to_rank) {
      if (walk.goes_to(to_rank, tile) && arrivals.wait(to_rank)) {
        to |= 1U << to_rank;
      }
    }
    storer.tile([&](int y, int x, unsigned from) {
      for (unsigned rest = to; rest != 0; rest &= rest - 1) {
        store_box(maps.slots[__ffs(static_cast<int>(rest)) - 1], tile.n * BLOCK_N + x, tile.row + y,
                  rank * p.splits + tile.split, from);
      }
    });
    storer.empty();
    wait_for_writes();
    fence_global_writes();
    const int flag = rank * walk.flags_per_source() + walk.flag(tile.row, tile.n, tile.split);
    for (unsigned rest = to; rest != 0; rest &= rest - 1) {
      store_for_peers(p.flags[__ffs(static_cast<int>(rest)) - 1] + flag, now);
    }
  }
}

/// One warp: until all parts of the sum are here, or in vain.
__device__ void wait_for_parts(const GemmSplitParameters& p, const Walk& walk, const SplitSum& sum) {
  const TileFlag now = flag_now(p);
  for (int part = static_cast<int>(threadIdx.x) % 32; part < p.peers.ranks * p.splits; part += 32) {
    const int source = part / p.splits;
    const TileFlag* const flag = p.flags[p.peers.rank] + source * walk.flags_per_source() +
                                 walk.flag(sum.row, sum.n, part % p.splits);
    wait_until(p.peers, PeerFailure::part_missing + source, [&] { return load_from_peers(flag) == now; });
  }
  __syncwarp();
}

/// All consumers of the block.
template <bool fp16>
__device__ void add(const GemmSplitParameters& p, const Walk& walk, const SplitSum& sum) {
  constexpr int across = BLOCK_N / width;
  const int rows = walk.rows_of(walk.owner);
  const int vectors = p.n / width;  // of a row
  const long long vectors_of_part = static_cast<long long>(p.rows_of_owner) * vectors;
  for (int i = static_cast<int>(threadIdx.x); i < SplitWalk::rows_of_sum * across; i += consumers * warpgroup_threads) {
    const int row = sum.row + i / across;
    const int vector = sum.n * across + i % across;
    if (row >= rows || vector >= vectors) {
      continue;
    }
    const auto* part = static_cast<const uint4*>(p.slots) + static_cast<long long>(row) * vectors + vector;
    float all[width] = {};
#pragma unroll 4
    for (int source = 0; source < p.peers.ranks * p.splits; ++source, part += vectors_of_part) {
      add_vector<fp16>(__ldcg(part), all);
    }
    finish_vector<fp16>(all, p.epilogue, vector, p.residual,
                        static_cast<long long>(row) * (p.residual_pitch / width) + vector);
    static_cast<uint4*>(p.output)[static_cast<long long>(row) * (p.pitch / width) + vector] = pack_vector<fp16>(all);
  }
}

/// One warpgroup.
template <bool fp16>
__device__ __forceinline__ void consume(const GemmSplitParameters& p, SplitShared shared, int consumer) {
  const Walk walk(p);
  Tickets<SplitShared> tickets(shared);
  Stage place;
  StoreBuffer buffer;
  Sums sums;
  for (Ticket ticket = tickets.take_together(); ticket.number < walk.count(); ticket = tickets.take_together()) {
    if (ticket.marked) {
      const SplitSum sum = walk.sum(ticket.number);
      if (sum.n < walk.n_tiles) {
        wait_for_parts(p, walk, sum);
        add<fp16>(p, walk, sum);
      }
      continue;
    }
    const Depth depth(p, walk.tile(ticket.number).split);
    multiply<fp16>(sums, shared, place, depth.end - depth.first, consumer);
    hand_over_tile<fp16>(sums, shared, buffer, consumer);
  }
}

}  // namespace

extern "C" __global__ __launch_bounds__(block_threads, 1) void hopper_gemm_split(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, const __grid_constant__ SplitMaps maps,
    const __grid_constant__ GemmSplitParameters p) {
  const auto shared = shared_memory<SplitShared>();
  if (threadIdx.x == 0) {
    prefetch(a);
    prefetch(b);
  }
  const Walk walk(p);
  run_by_ticket(
      p.peers, shared, walk.count(),
      [&](int consumer) { p.fp16 ? consume<true>(p, shared, consumer) : consume<false>(p, shared, consumer); },
      [&] { produce(a, b, p, shared); },
      [&] { store(maps, p, shared); },
      [&](int ticket) { return walk.is_sum(ticket); },
      [](const Role&) {});
  leave(p.peers, [](int) {}, [&](int warp, int warps) {
    fill_with_nan(p.output, walk.rows_of(walk.owner), p.n, p.pitch, warp, warps);
  });
}
