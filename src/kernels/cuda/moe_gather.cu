/// The all-gather of a mixture of experts on Hopper, in one kernel: blocks multiply tiles of own rows first. Meanwhile
/// what stores C in each block fetches the other ranks' rows: see gather_rows.cuh. A tile waits until the rows of all
/// ranks are here of which it has some, since an expert's rows are spread over all rows of a rank.
///
/// Tiles are not taken by ticket: a tile waits for nothing but rows, which any block fetches, whatever tile it is at.
#include "gather_rows.cuh"
#include "grouped_pipeline.cuh"
#include "moe_gather_parameters.hpp"

using contextual::kernels::cuda::MoeGatherParameters;

namespace {

struct MoeGatherMaps {
  GroupedMaps product;
  FetchMaps fetch;
};

struct MoeGatherShared : Shared {
  __device__ unsigned piece_full() const { return end(); }
  /// One more than the last tile of this block of which most is loaded.
  __device__ unsigned closing() const { return piece_full() + 8; }

  /// One thread.
  __device__ void init() const {
    init_barriers(1 + picking_warps);
    barrier_init(piece_full(), 1);
    set_shared(closing(), 0);
  }
};

/// What a warp that picks rows knows of those that are fetched.
class GatheredRows {
 public:
  __device__ GatheredRows(const MoeGatherParameters& p, MoeGatherShared shared, bool tells)
      : p_(p),
        shared_(shared),
        closing_k_(tells ? max((p.k + block_k - 1) / block_k - closing_k_blocks, 0) : -1),
        here_(1U << p.peers.rank) {}

  __device__ __forceinline__ bool lacks(const GroupedTile& tile) const { return (tile.sources & ~here_) != 0; }
  __device__ void wait(const GroupedTile& tile) {
    const PeerControl& own = *p_.peers.control[p_.peers.rank];
    const GatherPieces pieces = pieces_of(p_);
    for (unsigned rest = tile.sources & ~here_; rest != 0; rest &= rest - 1) {
      const int source = __ffs(static_cast<int>(rest)) - 1;
      const auto all = static_cast<unsigned>(pieces.count(source));
      if (threadIdx.x % 32 == 0) {
        wait_until(p_.peers, PeerFailure::rows_missing + source,
                   [&] { return load_from_peers(&own.here[source]) >= all; });
      }
    }
    __syncwarp();
    here_ |= tile.sources;
  }
  /// Behind the last wait for rows of a tile: this block fetches until then.
  __device__ __forceinline__ void begin_k(int k) {
    tiles_ += k == 0 ? 1 : 0;
    if (k == closing_k_) {
      set_shared(shared_.closing(), tiles_);
    }
  }

 private:
  const MoeGatherParameters& p_;
  MoeGatherShared shared_;
  int closing_k_;
  unsigned here_;  // bits of ranks
  unsigned tiles_ = 0;
};

/// One thread of the block.
__device__ void produce(const MoeGatherMaps& maps, const MoeGatherParameters& p, Shared shared) {
  const Walk walk(p.product);
  const int tiles = walk.count();
  Stage place;
  for (int index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
    load_weights(maps.product.b, p.product, walk[index], shared, place);
  }
}

/// One thread of the block. Rows that no expert takes are fetched at the end, since the caller may read them.
__device__ void store(const MoeGatherMaps& maps, const MoeGatherParameters& p, MoeGatherShared shared) {
  const Walk walk(p.product);
  const int tiles = walk.count();
  tell_if_first(p.peers, take_ticket(p.peers));
  Storer storer(shared, store_buffers);
  Fetcher<MoeGatherShared> fetcher(maps.fetch, p, shared);
  int tile = 0;
  for (int index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER, ++tile) {
    if (fetcher.fetches()) {
      wait_for_stores<0>();
      fetcher.fetch(storer.kept_buffer(), tile);
    }
    storer.empty();
    store_tile(maps.product, walk[index], storer);
    if (!fetcher.fetches()) {
      storer.empty();
    }
  }
  wait_for_stores<0>();
  fetcher.fetch(storer.kept_buffer(), 0x7FFFFFFF);
  wait_for_writes();  // a call that has failed writes over them
}

}  // namespace

extern "C" __global__ __launch_bounds__(block_threads, 1) void hopper_moe_gather(
    const __grid_constant__ MoeGatherMaps maps, const __grid_constant__ MoeGatherParameters p) {
  const auto shared = shared_memory<MoeGatherShared>();
  if (threadIdx.x == 0) {
    prefetch(maps.product.b);
    shared.init();
    barrier_init_fence();
  }
  block_or_cluster_sync();
  const Role role = role_of_thread();
  const StoreBuffer first{0, 1};  // the buffers come from what fetches
  run_role(
      role,
      [&] {
        p.product.fp16 ? consume<true>(p.product, shared, first, role.consumer)
                       : consume<false>(p.product, shared, first, role.consumer);
      },
      [&] { produce(maps, p, shared); },
      [&] { store(maps, p, shared); },
      [&] {
        const int warp = role.warp - picking_warps;
        pick(p.product, shared, warp, GatheredRows(p, shared, warp == 0 && role.leads));
      });
  block_or_cluster_sync();
  leave(p.peers, [&](int lane) { wait_for_fetches(p, lane); }, [&](int warp, int warps) {
    fill_with_nan(p.output, *p.positions, p.product.n, p.product.n, warp, warps);
  });
}
