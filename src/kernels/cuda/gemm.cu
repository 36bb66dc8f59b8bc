/// C = A * B^T on Hopper: persistent blocks, in clusters that share B. C leaves through shared memory while the next
/// tile is multiplied, and whoever multiplies waits for no store.
#include "kernels/cuda/gemm_parameters.hpp"
#include "gemm_pipeline.cuh"
#include "gemm_walk.cuh"
#if PROMOTES
#include "gemm_promotion.cuh"
#endif

using contextual::kernels::cuda::GemmParameters;

namespace {

/// One thread of the block.
__device__ void produce(const TensorMap& a, const TensorMap& b, const GemmParameters& p, Shared shared) {
  const Walk walk(p);
  const int k_blocks = (p.k + block_k - 1) / block_k;
  Flags flags(p);
  Stage place;
  for (int index = blockIdx.x / CLUSTER; index < walk.count(); index += gridDim.x / CLUSTER) {
    const Tile tile = walk[index];
    if (p.ready_flags != nullptr) {
      flags.wait(tile.m * BLOCK_M);
    }
    load_tile(a, b, 0, k_blocks, tile.m * BLOCK_M, tile.n * tile_n, shared, place, p.n);
  }
}

/// One thread of the block.
__device__ void store(const TensorMap& c, const GemmParameters& p, Shared shared) {
  const Walk walk(p);
  Storer storer(shared);
  for (int index = blockIdx.x / CLUSTER; index < walk.count(); index += gridDim.x / CLUSTER) {
    const Tile tile = walk[index];
    storer.tile(c, tile.m * BLOCK_M, tile.n * tile_n);
  }
  wait_for_stores<0>();
}

#if PROMOTES
template <bool fp16>
__device__ __forceinline__ void consume(const GemmParameters& p, Shared shared, int consumer) {
  consume_promoted<fp16>(p, shared, consumer);
}
#else
/// One warpgroup.
template <bool fp16>
__device__ __forceinline__ void consume(const GemmParameters& p, Shared shared, int consumer) {
  const int tiles = Walk(p).count();
  const int k_blocks = (p.k + block_k - 1) / block_k;
  Stage place;
  StoreBuffer buffer;
  Sums sums;
  for (int index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
    if constexpr (FP8 != 0) {
      const Tile tile = Walk(p)[index];
      const TileScales scales(p.scales, p.n, tile.m * BLOCK_M + first_row_of(consumer),
                              tile.n * tile_n + first_column_of(consumer));
      multiply<fp16>(sums, shared, place, k_blocks, consumer);
      scales.apply(sums);
    } else {
      multiply<fp16>(sums, shared, place, k_blocks, consumer);
    }
    if (applies(p.epilogue)) {
      finish_tile<fp16>(sums, p.epilogue, Walk(p)[index].n * tile_n, consumer);
    }
    hand_over_tile<fp16>(sums, shared, buffer, consumer);
  }
}
#endif

}  // namespace

extern "C" __global__ __launch_bounds__(block_threads, 1) void hopper_gemm(const __grid_constant__ TensorMap a,
                                                                           const __grid_constant__ TensorMap b,
                                                                           const __grid_constant__ TensorMap c,
                                                                           const __grid_constant__ GemmParameters p) {
  const auto shared = shared_memory<Shared>();
  if (threadIdx.x == 0) {
    prefetch(a);
    prefetch(b);
    prefetch(c);
    shared.init_barriers();
    barrier_init_fence();
  }
  block_or_cluster_sync();
  const Role role = role_of_thread();
  run_role(
      role, [&] { p.fp16 ? consume<true>(p, shared, role.consumer) : consume<false>(p, shared, role.consumer); },
      [&] { produce(a, b, p, shared); },
      [&] { store(c, p, shared); },
      [&] {
#if BLOCK_SCALES
        if (role.warp == 2) {
          produce_scales(p, shared);
        }
#endif
      });
  // Other blocks write into this one's shared memory until they are done.
  if constexpr (CLUSTER > 1) {
    cluster_sync();
  }
}
