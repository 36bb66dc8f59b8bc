/// The products of a mixture of experts on Hopper: persistent blocks take tiles from a list that was made on the device,
/// expert by expert. Where A is by row, two warps bring its rows, which the copy engine can not pick; B comes as in
/// gemm.cu. The last tile of an expert ends in the middle of a box, of which only that expert's rows are stored, as
/// boxes of fewer rows.
#include "gemm_pipeline.cuh"
#include "grouped_gemm_parameters.hpp"

using namespace contextual::kernels::cuda;

namespace {

struct GroupedMaps {
  TensorMap a;  ///< where it is by position
  TensorMap b;  ///< the experts' weights, one below the other
  TensorMap c[grouped_store_maps];
};

/// Of a block.
struct GroupedTile {
  int first;   ///< position
  int end;     ///< of the expert's positions
  int b_row;   ///< of the weights
  int column;  ///< of C
};

struct Walk {
  const ExpertTile* tiles;
  int rows_of_b;  ///< of an expert
  Bands bands;

  __device__ explicit Walk(const GroupedGemmParameters& p)
      : tiles(p.tiles), rows_of_b(products_of_value * p.n), bands(tile_order, __ldg(p.tile_count), (p.n + tile_n - 1) / tile_n) {}

  __device__ int count() const { return bands.count(); }
  __device__ int column(int index) const { return bands[index].n * tile_n; }
  __device__ GroupedTile operator[](int index) const {
    const Tile tile = bands[index];
    const int4 entry = __ldg(reinterpret_cast<const int4*>(tiles) + tile.m);
    const int block = CLUSTER > 1 ? static_cast<int>(block_in_cluster()) : 0;
    const int column = tile.n * tile_n;
    return {entry.y + block * BLOCK_M, entry.z, entry.x * rows_of_b + column, column};
  }
};

constexpr int picking_warps = 2;
constexpr int picking_threads = picking_warps * 32;
constexpr int chunks = row_bytes / 16;  // of a row of a stage, each of a thread
constexpr int rows_at_once = picking_threads / chunks;
static_assert(rows_at_once == 8, "one period of the swizzle");
constexpr int rows_of_thread = BLOCK_M / rows_at_once;
constexpr int stages_ahead = STAGES - 2;  // on their way while the next one is filled

/// One warp of `picking_warps`: brings the rows of A.
__device__ void pick(const GroupedGemmParameters& p, Shared shared, int warp) {
  const int thread = warp * 32 + static_cast<int>(threadIdx.x) % 32;
  const int chunk = thread % chunks;
  const int first_row = thread / chunks;
  const unsigned to = first_row * row_bytes + (chunk ^ first_row) * 16;
  const int k_blocks = (p.k + block_k - 1) / block_k;
  const int k_chunks = p.k / 8;
  const auto* const a = static_cast<const uint4*>(p.a) + chunk;
  const Walk walk(p);
  const int tiles = walk.count();
  Stage place;
  Stage told;
  int on_their_way = 0;
  const auto tell = [&] {
    fence_shared_writes();
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      barrier_arrive(shared.full(told.stage));
    }
    told.advance();
  };
  for (int index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
    const GroupedTile tile = walk[index];
    unsigned from[rows_of_thread];  // in 16 bytes
#pragma unroll
    for (int i = 0; i < rows_of_thread; ++i) {
      const int position = min(tile.first + first_row + i * rows_at_once, tile.end - 1);
      from[i] = static_cast<unsigned>(__ldg(p.rows + position)) * k_chunks;
    }
    for (int k = 0; k < k_blocks; ++k, place.advance()) {
      barrier_wait(shared.empty(place.stage), place.parity ^ 1);
      const bool behind = k * chunks + chunk >= k_chunks;
#pragma unroll
      for (int i = 0; i < rows_of_thread; ++i) {
        copy_16_bytes(shared.a(place.stage) + to + i * rows_at_once * row_bytes,
                      a + (behind ? 0 : static_cast<long long>(from[i]) + k * chunks), behind);
      }
      commit_copies();
      if (++on_their_way > stages_ahead) {
        wait_for_copies<stages_ahead>();
        --on_their_way;
        tell();
      }
    }
  }
  wait_for_copies<0>();
  for (; on_their_way > 0; --on_their_way) {
    tell();
  }
}

/// One thread of the block.
__device__ void produce(const GroupedMaps& maps, const GroupedGemmParameters& p, Shared shared) {
  const Walk walk(p);
  const int tiles = walk.count();
  const int k_blocks = (p.k + block_k - 1) / block_k;
  Stage place;
  for (int index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
    const GroupedTile tile = walk[index];
    if (p.rows == nullptr) {
      load_tile(maps.a, maps.b, 0, k_blocks, tile.first, tile.b_row, shared, place, p.n);
      continue;
    }
    for (int k = 0; k < k_blocks; ++k, place.advance()) {
      barrier_wait(shared.empty(place.stage), place.parity ^ 1);
      barrier_expect(shared.full(place.stage), b_bytes);
      load_box_of_b(maps.b, k, tile.b_row, p.n, shared, place.stage);
    }
  }
}

/// One thread of the block.
__device__ void store(const GroupedMaps& maps, const GroupedGemmParameters& p, Shared shared) {
  const Walk walk(p);
  const int tiles = walk.count();
  Storer storer(shared);
  for (int index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
    const GroupedTile tile = walk[index];
    storer.tile([&](int y, int x, unsigned from) {
      const int rows = min(max(tile.end - tile.first - y, 0), slab_m);
      int row = tile.first + y;
      for (int map = grouped_store_maps - 1; map >= 0; --map) {
        if ((rows >> map & 1) != 0) {
          store_box(maps.c[map], tile.column + x, row, from);
          row += 1 << map;
          from += row_bytes << map;
        }
      }
    });
  }
  wait_for_stores<0>();
}

/// One warpgroup.
template <bool fp16>
__device__ __forceinline__ void consume(const GroupedGemmParameters& p, Shared shared, int consumer) {
  const Walk walk(p);
  const int tiles = walk.count();
  const int k_blocks = (p.k + block_k - 1) / block_k;
  const GemmEpilogue epilogue{nullptr, p.activation, p.n};
  Stage place;
  StoreBuffer buffer;
  Sums sums;
  for (int index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
    multiply<fp16>(sums, shared, place, k_blocks, consumer);
    if (applies(epilogue)) {
      finish_tile<fp16>(sums, epilogue, walk.column(index), consumer);
    }
    hand_over_tile<fp16>(sums, shared, buffer, consumer);
  }
}

}  // namespace

extern "C" __global__ __launch_bounds__(block_threads, 1) void hopper_grouped_gemm(
    const __grid_constant__ GroupedMaps maps, const __grid_constant__ GroupedGemmParameters p) {
  const auto shared = shared_memory<Shared>();
  if (threadIdx.x == 0) {
    prefetch(maps.a);
    prefetch(maps.b);
    shared.init_barriers(p.rows == nullptr ? 1 : 1 + picking_warps);
    barrier_init_fence();
  }
  block_or_cluster_sync();
  const Role role = role_of_thread();
  run_role(
      role, [&] { p.fp16 ? consume<true>(p, shared, role.consumer) : consume<false>(p, shared, role.consumer); },
      [&] { produce(maps, p, shared); },
      [&] { store(maps, p, shared); },
      [&] {
        if (p.rows != nullptr) {
          pick(p, shared, role.warp - picking_warps);
        }
      });
  // Other blocks write into this one's shared memory until they are done.
  if constexpr (CLUSTER > 1) {
    cluster_sync();
  }
}
