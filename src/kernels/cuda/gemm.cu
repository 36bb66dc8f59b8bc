/// C = A * B^T on Hopper: persistent blocks, in clusters that share B, of two warpgroups that multiply and one
/// of which a warp loads, through a ring of stages in shared memory, and another stores: C leaves through
/// shared memory while the next tile is multiplied, and whoever multiplies waits for no store. Compiled by
/// NVRTC, one variant a config; the macros are GemmConfig's members.
#if __CUDA_ARCH__ != 900
#error "this kernel needs a Hopper GPU (compute capability 9.0)"
#endif

// Two consumers: beside each other along m; for 64 rows along n.
#define CONSUMERS_ALONG_M (BLOCK_M >= 128 ? 2 : 1)
#if BLOCK_M >= 128
#define WGMMA_N BLOCK_N
#else
#define WGMMA_N (BLOCK_N / 2)
#endif

#include "gemm_parameters.hpp"
#include "gemm_walk.cuh"
#include "hopper_ptx.cuh"
#include "hopper_wgmma.cuh"

using contextual::kernels::cuda::GemmParameters;
using namespace hopper;

namespace {

constexpr int warpgroup_threads = 128;
constexpr int consumers = 2;
constexpr int block_k = 64;
constexpr int row_bytes = 2 * block_k;  // of a stage: one period of the swizzle
constexpr int slab_m = 64;              // rows of one wgmma
constexpr int slabs = BLOCK_M / CONSUMERS_ALONG_M / slab_m;
constexpr int a_bytes = BLOCK_M * row_bytes;
constexpr int b_bytes = BLOCK_N * row_bytes;
constexpr int stage_bytes = a_bytes + b_bytes;
constexpr int panel_n = 64;  // columns of one store: one period of the swizzle
constexpr int panel_bytes = slab_m * panel_n * 2;
constexpr int store_buffers = 2;
constexpr int store_bytes = EPILOGUE_N / panel_n * panel_bytes;

// Of 65536 registers, 168 a thread at the start.
constexpr int producer_registers = 40;
constexpr int consumer_registers = 232;

/// Addresses in shared memory. The host adds up the same.
struct Shared {
  unsigned base;

  __device__ unsigned a(int stage) const { return base + stage * stage_bytes; }
  __device__ unsigned b(int stage) const { return a(stage) + a_bytes; }
  __device__ unsigned store(int consumer, int buffer) const {
    return base + STAGES * stage_bytes + (consumer * store_buffers + buffer) * store_bytes;
  }
  __device__ unsigned full(int stage) const {
    return base + STAGES * stage_bytes + consumers * store_buffers * store_bytes + stage * 8;
  }
  __device__ unsigned empty(int stage) const { return full(stage) + STAGES * 8; }
  __device__ unsigned store_full(int consumer, int buffer) const {
    return empty(STAGES) + (consumer * store_buffers + buffer) * 8;
  }
  __device__ unsigned store_empty(int consumer, int buffer) const {
    return store_full(consumers, 0) + (consumer * store_buffers + buffer) * 8;
  }
};

/// Where a role is in a ring, and which phase of its barriers it waits for.
template <int count>
struct Place {
  int stage = 0;
  unsigned parity = 0;

  __device__ __forceinline__ void advance() {
    if (++stage == count) {
      stage = 0;
      parity ^= 1;
    }
  }
};
using Stage = Place<STAGES>;
using StoreBuffer = Place<store_buffers>;

/// The part of a tile that a consumer computes, from the tile's first row and column on.
__device__ __forceinline__ int first_row_of(int consumer) {
  return CONSUMERS_ALONG_M == 2 ? consumer * slabs * slab_m : 0;
}
__device__ __forceinline__ int first_column_of(int consumer) {
  return CONSUMERS_ALONG_M == 2 ? 0 : consumer * WGMMA_N;
}

/// One thread of the block.
__device__ void produce(const TensorMap& a, const TensorMap& b, const GemmParameters& p, Shared shared) {
  const Walk walk(p);
  const int k_blocks = (p.k + block_k - 1) / block_k;
  const int rank = CLUSTER > 1 ? static_cast<int>(block_in_cluster()) : 0;
  Flags flags(p);
  Stage place;
  for (int index = blockIdx.x / CLUSTER; index < walk.count; index += gridDim.x / CLUSTER) {
    const Tile tile = walk[index];
    if (p.ready_flags != nullptr) {
      flags.wait(tile.m * BLOCK_M);
    }
    for (int k = 0; k < k_blocks; ++k) {
      const unsigned full = shared.full(place.stage);
      barrier_wait(shared.empty(place.stage), place.parity ^ 1);
      barrier_expect(full, stage_bytes);
      load_box(shared.a(place.stage), a, k * block_k, tile.m * BLOCK_M, full);
      if constexpr (CLUSTER == 1) {
        load_box(shared.b(place.stage), b, k * block_k, tile.n * BLOCK_N, full);
      } else {  // every block of the cluster loads its share of B for all
        constexpr int share = BLOCK_N / CLUSTER;
        load_box_multicast(shared.b(place.stage) + rank * share * row_bytes, b, k * block_k,
                           tile.n * BLOCK_N + rank * share, full, (1U << CLUSTER) - 1);
      }
      place.advance();
    }
  }
}

/// Tells all blocks that load into this block's stages. Once a warp.
__device__ __forceinline__ void release(unsigned empty) {
  const unsigned lane = threadIdx.x % 32;
  if constexpr (CLUSTER == 1) {
    if (lane == 0) {
      barrier_arrive(empty);
    }
  } else if (lane < CLUSTER) {
    barrier_arrive_at(empty, lane);
  }
}

using Sums = float[slabs][WGMMA_N / 2];

/// One tile of a consumer: the rows and columns from (a, b) on in every stage. When it returns, the last
/// products are under way; they use the stage it returns.
template <bool fp16>
__device__ __forceinline__ int multiply(Sums& sums, Shared shared, Stage& place, int k_blocks,
                                        unsigned a_offset, unsigned b_offset) {
  int previous = 0;
  for (int k = 0; k < k_blocks; ++k) {
    barrier_wait(shared.full(place.stage), place.parity);
    const unsigned long long a = matrix_descriptor(shared.a(place.stage) + a_offset);
    const unsigned long long b = matrix_descriptor(shared.b(place.stage) + b_offset);
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < block_k / 16; ++step) {
#pragma unroll
      for (int slab = 0; slab < slabs; ++slab) {
        wgmma<fp16>(sums[slab], a + step * 2 + slab * (slab_m * row_bytes / 16), b + step * 2,
                    step > 0 ? 1 : k);
      }
    }
    wgmma_commit();
    if (k > 0) {  // the stage before: the tensor cores always have the next products to go on with
      wgmma_wait<1>();
      release(shared.empty(previous));
    }
    previous = place.stage;
    place.advance();
  }
  return previous;
}

/// Rounds, and hands panels of C to the thread that stores them, by way of two buffers in turn.
template <bool fp16>
__device__ __forceinline__ void hand_over(const Sums& sums, Shared shared, int consumer, StoreBuffer& buffer) {
  const int thread = threadIdx.x % warpgroup_threads;
  const int lane = thread % 32;
  const int own_row = thread / 32 * 16 + lane % 16;
#pragma unroll
  for (int slab = 0; slab < slabs; ++slab) {
#pragma unroll
    for (int first = 0; first < WGMMA_N; first += EPILOGUE_N, buffer.advance()) {
      const unsigned base = shared.store(consumer, buffer.stage);
      barrier_wait(shared.store_empty(consumer, buffer.stage), buffer.parity ^ 1);
#pragma unroll
      for (int x = 0; x < EPILOGUE_N; x += 16) {
        const float* const d = sums[slab] + (first + x) / 2;
        const int chunk = (x % panel_n) / 8 + lane / 16;
        store_matrices(base + x / panel_n * panel_bytes + own_row * row_bytes + (chunk ^ own_row % 8) * 16,
                       pack<fp16>(d[0], d[1]), pack<fp16>(d[2], d[3]), pack<fp16>(d[4], d[5]),
                       pack<fp16>(d[6], d[7]));
      }
      fence_shared_writes();
      __syncwarp();
      if (lane == 0) {
        barrier_arrive(shared.store_full(consumer, buffer.stage));
      }
    }
  }
}

/// Tells how much of C is complete: a tile, from (row, column) on.
__device__ __forceinline__ void tell(const GemmParameters& p, int row, int column) {
  const int columns = min(BLOCK_N, p.n - column);
  const int end = min(row + BLOCK_M, p.m);
  for (RowGroup group(p, row); group.begin < end; group = RowGroup(p, group.end)) {
    add_to_count(p.done_counts + group.index, (min(group.end, end) - group.begin) * columns);
  }
}

/// One thread of the block: stores what the consumers hand over, by way of two buffers in turn for each of them.
__device__ void store(const TensorMap& c, const GemmParameters& p, Shared shared) {
  const Walk walk(p);
  StoreBuffer buffer;
  bool first_of_all = true;
  for (int index = blockIdx.x / CLUSTER; index < walk.count; index += gridDim.x / CLUSTER) {
    const Tile tile = walk[index];
    const int row = tile.m * BLOCK_M;
    const int column = tile.n * BLOCK_N;
    for (int slab = 0; slab < slabs; ++slab) {
      for (int first = 0; first < WGMMA_N; first += EPILOGUE_N, buffer.advance()) {
#pragma unroll
        for (int consumer = 0; consumer < consumers; ++consumer) {
          barrier_wait(shared.store_full(consumer, buffer.stage), buffer.parity);
#pragma unroll
          for (int x = 0; x < EPILOGUE_N; x += panel_n) {
            store_box(c, column + first_column_of(consumer) + first + x, row + first_row_of(consumer) + slab * slab_m,
                      shared.store(consumer, buffer.stage) + x / panel_n * panel_bytes);
          }
          commit_stores();
        }
        if (!first_of_all) {
          wait_for_stores<consumers*(store_buffers - 1)>();
          for (int consumer = 0; consumer < consumers; ++consumer) {
            barrier_arrive(shared.store_empty(consumer, (buffer.stage + store_buffers - 1) % store_buffers));
          }
        }
        first_of_all = false;
      }
    }
    if (p.done_counts != nullptr && row < p.m) {
      wait_for_writes();
      tell(p, row, column);
    }
  }
  wait_for_stores<0>();
}

/// One warpgroup.
template <bool fp16>
__device__ __forceinline__ void consume(const GemmParameters& p, Shared shared, int consumer) {
  const int tiles = Walk(p).count;
  const int k_blocks = (p.k + block_k - 1) / block_k;
  Stage place;
  StoreBuffer buffer;
  Sums sums;
  for (int index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
    const int last = multiply<fp16>(sums, shared, place, k_blocks, first_row_of(consumer) * row_bytes,
                                    first_column_of(consumer) * row_bytes);
    wgmma_wait<0>();
    release(shared.empty(last));
    hand_over<fp16>(sums, shared, consumer, buffer);
  }
}

}  // namespace

extern "C" __global__ __launch_bounds__((1 + consumers) * warpgroup_threads,
                                        1) void hopper_gemm(const __grid_constant__ TensorMap a,
                                                            const __grid_constant__ TensorMap b,
                                                            const __grid_constant__ TensorMap c,
                                                            const __grid_constant__ GemmParameters p) {
  extern __shared__ unsigned char memory[];
  const Shared shared{(shared_address(memory) + 1023) / 1024 * 1024};
  if (threadIdx.x == 0) {
    prefetch(a);
    prefetch(b);
    prefetch(c);
    for (int stage = 0; stage < STAGES; ++stage) {
      barrier_init(shared.full(stage), 1);
      barrier_init(shared.empty(stage), CLUSTER * consumers * (warpgroup_threads / 32));
    }
    for (int consumer = 0; consumer < consumers; ++consumer) {
      for (int buffer = 0; buffer < store_buffers; ++buffer) {
        barrier_init(shared.store_full(consumer, buffer), warpgroup_threads / 32);
        barrier_init(shared.store_empty(consumer, buffer), 1);
      }
    }
    barrier_init_fence();
  }
  __syncthreads();
  if constexpr (CLUSTER > 1) {
    cluster_sync();
  }
  const int warpgroup = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x) / warpgroup_threads, 0);
  if (warpgroup == consumers) {
    give_registers<producer_registers>();
    const int warp = static_cast<int>(threadIdx.x) / 32 - consumers * (warpgroup_threads / 32);
    if (threadIdx.x % 32 == 0) {
      if (warp == 0) {
        produce(a, b, p, shared);
      } else if (warp == 1) {
        store(c, p, shared);
      }
    }
  } else {
    take_registers<consumer_registers>();
    if (p.fp16) {
      consume<true>(p, shared, warpgroup);
    } else {
      consume<false>(p, shared, warpgroup);
    }
  }
  // Other blocks write into this one's shared memory until they are done.
  if constexpr (CLUSTER > 1) {
    cluster_sync();
  }
}
