/// C = A * B^T on Hopper: persistent blocks, in clusters that share B, of one warpgroup that loads and two
/// that multiply, through a ring of stages in shared memory. C leaves through shared memory while the next
/// tile is multiplied. Compiled by NVRTC, one variant a config; the macros are GemmConfig's members.
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
};

/// Where a role is in the ring of stages.
struct Place {
  int stage = 0;
  unsigned parity = 0;

  __device__ __forceinline__ void advance() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// One thread of the block.
__device__ void produce(const TensorMap& a, const TensorMap& b, const GemmParameters& p, Shared shared) {
  const Walk walk(p);
  const int k_blocks = (p.k + block_k - 1) / block_k;
  const int rank = CLUSTER > 1 ? static_cast<int>(block_in_cluster()) : 0;
  Flags flags(p);
  Place place;
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
__device__ __forceinline__ int multiply(Sums& sums, Shared shared, Place& place, int k_blocks,
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

/// Rounds, and sends panels of C away by way of two buffers in turn; `buffer` is the next one.
template <bool fp16>
__device__ __forceinline__ void store(const Sums& sums, const TensorMap& c, Shared shared, int consumer,
                                      int& buffer, int row, int column) {
  const int thread = threadIdx.x % warpgroup_threads;
  const int lane = thread % 32;
  const int own_row = thread / 32 * 16 + lane % 16;
#pragma unroll
  for (int slab = 0; slab < slabs; ++slab) {
#pragma unroll
    for (int first = 0; first < WGMMA_N; first += EPILOGUE_N, buffer ^= 1) {
      const unsigned base = shared.store(consumer, buffer);
      if (thread == 0) {
        wait_for_stores<store_buffers - 1>();
      }
      warps_sync(1 + consumer, warpgroup_threads);
#pragma unroll
      for (int x = 0; x < EPILOGUE_N; x += 16) {
        const float* const d = sums[slab] + (first + x) / 2;
        const int chunk = (x % panel_n) / 8 + lane / 16;
        store_matrices(base + x / panel_n * panel_bytes + own_row * row_bytes + (chunk ^ own_row % 8) * 16,
                       pack<fp16>(d[0], d[1]), pack<fp16>(d[2], d[3]), pack<fp16>(d[4], d[5]),
                       pack<fp16>(d[6], d[7]));
      }
      fence_shared_writes();
      warps_sync(1 + consumer, warpgroup_threads);
      if (thread == 0) {
#pragma unroll
        for (int x = 0; x < EPILOGUE_N; x += panel_n) {
          store_box(c, column + first + x, row + slab * slab_m, base + x / panel_n * panel_bytes);
        }
        commit_stores();
      }
    }
  }
}

/// What one thread of a consumer tells of the part of a tile that the consumer stores.
class Counts {
 public:
  __device__ explicit Counts(const GemmParameters& p) : p_(p) {}

  __device__ __forceinline__ void stored(int row, int column) {
    row_ = row;
    column_ = column;
  }
  /// Of what was stored last. Its stores have had the time of a tile to end.
  __device__ __forceinline__ void tell() {
    const int columns = min(WGMMA_N, p_.n - column_);
    if (row_ < 0 || columns <= 0) {
      return;
    }
    wait_for_writes();
    const int end = min(row_ + slabs * slab_m, p_.m);
    for (RowGroup group(p_, row_); group.begin < end; group = RowGroup(p_, group.end)) {
      add_to_count(p_.done_counts + group.index, (min(group.end, end) - group.begin) * columns);
    }
  }

 private:
  const GemmParameters& p_;
  int row_ = -1;
  int column_ = 0;
};

/// One warpgroup.
template <bool fp16>
__device__ __forceinline__ void consume(const TensorMap& c, const GemmParameters& p, Shared shared,
                                        int consumer) {
  const Walk walk(p);
  const int k_blocks = (p.k + block_k - 1) / block_k;
  const int own_row = CONSUMERS_ALONG_M == 2 ? consumer * slabs * slab_m : 0;
  const int own_column = CONSUMERS_ALONG_M == 2 ? 0 : consumer * WGMMA_N;
  Place place;
  Sums sums;
  int buffer = 0;
  [[maybe_unused]] Counts counts(p);
  const bool tells = COUNTED && p.done_counts != nullptr && threadIdx.x % warpgroup_threads == 0;
  for (int index = blockIdx.x / CLUSTER; index < walk.count; index += gridDim.x / CLUSTER) {
    const int last =
        multiply<fp16>(sums, shared, place, k_blocks, own_row * row_bytes, own_column * row_bytes);
    Tile tile = walk[index];
    asm volatile("" : "+r"(tile.m), "+r"(tile.n));  // its divisions are done while the tensor cores are busy
    wgmma_wait<0>();
    release(shared.empty(last));
    if (tells) {
      counts.tell();
    }
    store<fp16>(sums, c, shared, consumer, buffer, tile.m * BLOCK_M + own_row, tile.n * BLOCK_N + own_column);
    if (tells) {
      counts.stored(tile.m * BLOCK_M + own_row, tile.n * BLOCK_N + own_column);
    }
  }
  if (threadIdx.x % warpgroup_threads == 0) {
    wait_for_stores<0>();
  }
  if (tells) {
    counts.tell();
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
    barrier_init_fence();
  }
  __syncthreads();
  if constexpr (CLUSTER > 1) {
    cluster_sync();
  }
  const int warpgroup = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x) / warpgroup_threads, 0);
  if (warpgroup == consumers) {
    give_registers<producer_registers>();
    if (threadIdx.x == consumers * warpgroup_threads) {
      produce(a, b, p, shared);
    }
  } else {
    take_registers<consumer_registers>();
    if (p.fp16) {
      consume<true>(c, p, shared, warpgroup);
    } else {
      consume<false>(c, p, shared, warpgroup);
    }
  }
  // Other blocks write into this one's shared memory until they are done.
  if constexpr (CLUSTER > 1) {
    cluster_sync();
  }
}
