/// The products of a mixture of experts on Hopper: see grouped_pipeline.cuh.
#include "grouped_pipeline.cuh"

namespace {

/// One thread of the block.
__device__ void produce(const GroupedMaps& maps, const GroupedGemmParameters& p, Shared shared) {
  const Walk walk(p);
  const int tiles = walk.count();
  const int k_blocks = (p.k + block_k - 1) / block_k;
  Stage place;
  for (int index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
    const GroupedTile tile = walk[index];
    if (p.rows != nullptr) {
      load_weights(maps.b, p, tile, shared, place);
    } else {
      load_tile(maps.a, maps.b, 0, k_blocks, tile.first, tile.b_row, shared, place, p.n);
    }
  }
}

/// One thread of the block.
__device__ void store(const GroupedMaps& maps, const GroupedGemmParameters& p, Shared shared) {
  const Walk walk(p);
  const int tiles = walk.count();
  Storer storer(shared);
  for (int index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
    store_tile(maps, walk[index], storer);
  }
  wait_for_stores<0>();
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
      role,
      [&] {
        p.fp16 ? consume<true>(p, shared, {}, role.consumer) : consume<false>(p, shared, {}, role.consumer);
      },
      [&] { produce(maps, p, shared); },
      [&] { store(maps, p, shared); },
      [&] {
        if (p.rows != nullptr) {
          pick(p, shared, role.warp - picking_warps, RowsInPlace{});
        }
      });
  // Other blocks write into this one's shared memory until they are done.
  if constexpr (CLUSTER > 1) {
    cluster_sync();
  }
}
