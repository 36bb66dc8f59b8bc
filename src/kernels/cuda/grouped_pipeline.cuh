#pragma once

/// What the products of a mixture of experts are made of: persistent blocks take tiles from a list that was made on the
/// device. Where A is by row, two warps bring its rows, which the copy engine can not pick. The last tile of an expert
/// ends in the middle of a box, of which only that expert's rows are stored, as boxes of fewer rows. Compiled by NVRTC.

#include "gemm_pipeline.cuh"
#include "kernels/cuda/grouped_gemm_parameters.hpp"

namespace {

using contextual::kernels::cuda::Bands;
using contextual::kernels::cuda::ExpertTile;
using contextual::kernels::cuda::grouped_store_maps;
using contextual::kernels::cuda::GroupedGemmParameters;
using contextual::kernels::cuda::Tile;

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
  unsigned sources;  ///< see ExpertTile
};

/// The tiles of this block. Those that follow each other are of this rank's rows first.
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
    return {entry.y + block * BLOCK_M, entry.z, entry.x * rows_of_b + column, column,
            static_cast<unsigned>(entry.w)};
  }
};

constexpr int picking_warps = 2;
constexpr int picking_threads = picking_warps * 32;
constexpr int chunks = row_bytes / 16;  // of a row of a stage, each of a thread
constexpr int rows_at_once = picking_threads / chunks;
static_assert(rows_at_once == 8, "one period of the swizzle");
constexpr int rows_of_thread = BLOCK_M / rows_at_once;
constexpr int stages_ahead = STAGES - 2;  // on their way while the next one is filled

/// Rows of A that do not come from elsewhere while they are multiplied.
struct RowsInPlace {
  __device__ __forceinline__ bool lacks(const GroupedTile& /*tile*/) const { return false; }
  __device__ __forceinline__ void wait(const GroupedTile& /*tile*/) {}
  __device__ __forceinline__ void begin_k(int /*k*/) {}
};

/// One warp of `picking_warps`: brings the rows of A. Before it waits for what a tile `lacks`, it hands over what it has
/// loaded. Calls `begin_k` before each block of k.
template <typename Rows>
__device__ __forceinline__ void pick(const GroupedGemmParameters& p, Shared shared, int warp, Rows rows) {
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
  const auto flush = [&] {
    wait_for_copies<0>();
    for (; on_their_way > 0; --on_their_way) {
      tell();
    }
  };
  for (int index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
    const GroupedTile tile = walk[index];
    if (rows.lacks(tile)) {
      flush();
      rows.wait(tile);
    }
    unsigned from[rows_of_thread];  // in 16 bytes
#pragma unroll
    for (int i = 0; i < rows_of_thread; ++i) {
      const int position = min(tile.first + first_row + i * rows_at_once, tile.end - 1);
      from[i] = static_cast<unsigned>(min(__ldg(p.rows + position), p.a_rows - 1)) * k_chunks;
    }
    for (int k = 0; k < k_blocks; ++k, place.advance()) {
      rows.begin_k(k);
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
  flush();
}

/// Loads the weights of a tile whose rows of A are picked. One thread of the block.
__device__ __forceinline__ void load_weights(const TensorMap& b, const GroupedGemmParameters& p, const GroupedTile& tile,
                                             Shared shared, Stage& place) {
  const int k_blocks = (p.k + block_k - 1) / block_k;
  for (int k = 0; k < k_blocks; ++k, place.advance()) {
    barrier_wait(shared.empty(place.stage), place.parity ^ 1);
    barrier_expect(shared.full(place.stage), b_bytes);
    load_box_of_b(b, k, tile.b_row, p.n, shared, place.stage);
  }
}

/// Stores a tile, of which the last rows of a box may be another expert's. One thread of the block.
__device__ __forceinline__ void store_tile(const GroupedMaps& maps, const GroupedTile& tile, Storer& storer) {
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

/// One warpgroup, which begins with this buffer of C.
template <bool fp16>
__device__ __forceinline__ void consume(const GroupedGemmParameters& p, Shared shared, StoreBuffer buffer, int consumer) {
  const Walk walk(p);
  const int tiles = walk.count();
  const int k_blocks = (p.k + block_k - 1) / block_k;
  const GemmEpilogue epilogue{nullptr, p.activation, p.n};
  Stage place;
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
