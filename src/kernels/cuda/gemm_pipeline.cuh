#pragma once

/// What the Hopper GEMMs are made of: blocks of two warpgroups that multiply and one whose warps load and store, a ring
/// of stages in shared memory through which A and B come, and buffers of each consumer through which C leaves.
/// Compiled by NVRTC, one variant a config; the macros are GemmConfig's members.

#if __CUDA_ARCH__ != 900
#error "this kernel needs a Hopper GPU (compute capability 9.0)"
#endif

// C = activation(A gate^T) * (A up^T). B has the rows of the gate, then those of up.
#ifndef GATED
#define GATED 0
#endif
// A and B are e4m3, with scales.
#ifndef FP8
#define FP8 0
#endif
// Sums of fp8 are taken over 128 of k in the tensor cores, whose accumulators have fewer bits than a float.
#ifndef PROMOTES
#define PROMOTES 0
#endif
// They are promoted, and scales belong to blocks of 128 of k.
#ifndef BLOCK_SCALES
#define BLOCK_SCALES 0
#endif
// The blocks of a cluster share a tile: each multiplies over its part of k, and keeps its part of the columns.
#ifndef SPLIT_K
#define SPLIT_K 0
#endif

// Two consumers: beside each other along m; for 64 rows along n.
#define CONSUMERS_ALONG_M (BLOCK_M >= 128 ? 2 : 1)
#if BLOCK_M >= 128
#define WGMMA_N BLOCK_N
#else
#define WGMMA_N (BLOCK_N / 2)
#endif

#include "gemm_epilogue.cuh"
#include "gemm_order.hpp"
#include "kernels/cuda/gemm_parameters.hpp"
#include "hopper_ptx.cuh"
#include "hopper_wgmma.cuh"

namespace {

using namespace hopper;
using contextual::kernels::cuda::GemmScales;

// 64 rows of the gate and 64 of up alternate in a stage, so that one thread holds the sums of both.
constexpr bool gated = GATED != 0;
constexpr int products_of_value = gated ? 2 : 1;
constexpr int parts_of_k = SPLIT_K != 0 ? CLUSTER : 1;
constexpr int sharing = CLUSTER / parts_of_k;  // blocks, one below the other, that share each load of B
constexpr int tile_n = BLOCK_N / products_of_value / parts_of_k;  // columns of C
constexpr contextual::kernels::cuda::TileOrder tile_order{BLOCK_M, tile_n, sharing, GROUP, ALONG_N != 0, parts_of_k};
static_assert(parts_of_k == 1 || (CLUSTER == 2 && BLOCK_M == 128 && !gated));

constexpr int warpgroup_threads = 128;
constexpr int warps = warpgroup_threads / 32;  // of a warpgroup
constexpr int consumers = 2;
constexpr int block_threads = (1 + consumers) * warpgroup_threads;
constexpr int block_k = 64;  // in 16 bits, which are two values of fp8
constexpr int row_bytes = 2 * block_k;  // of a stage: one period of the swizzle
constexpr int slab_m = 64;              // rows of one wgmma
constexpr int slabs = BLOCK_M / CONSUMERS_ALONG_M / slab_m;
constexpr int a_bytes = BLOCK_M * row_bytes;
constexpr int b_bytes = BLOCK_N * row_bytes;
constexpr int stage_bytes = a_bytes + b_bytes;
constexpr int store_n = 64;  // columns of one store: one period of the swizzle
constexpr int store_bytes = slab_m * store_n * 2;
constexpr int box_n = store_n * products_of_value;  // columns of the products that become one store
constexpr int kept_n = WGMMA_N / parts_of_k;        // columns of the products that a consumer keeps, its first ones
constexpr int consumer_n = kept_n / products_of_value;  // columns of C of a consumer's tile
// Along n of a consumer's tile. The last one ends with the tile, and may repeat columns of the one before.
constexpr int stores = (consumer_n + store_n - 1) / store_n;
constexpr int repeated_columns = stores * store_n - consumer_n;
static_assert(repeated_columns == 0 || !gated);
constexpr int store_buffers = STORE_BUFFERS;
// Scales of blocks: of a stage's rows of A, then of at most two blocks of B.
constexpr int stage_scale_bytes = BLOCK_SCALES != 0 ? (BLOCK_M + 4) * 4 : 0;
// That arrive at a stage when it is full: the thread that produces, and the lanes of the warp that loads scales.
constexpr int loaders = BLOCK_SCALES != 0 ? 1 + 32 : 1;

// A block has no more than it begins with, 168 a thread.
constexpr int producer_registers = 56;
constexpr int consumer_registers = 224;
static_assert(producer_registers + consumers * consumer_registers <= (1 + consumers) * 168);

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
  __device__ unsigned scales(int stage) const { return store_empty(consumers, 0) + stage * stage_scale_bytes; }
  __device__ unsigned end() const { return scales(STAGES); }

  /// One thread. So many `arrivals` make a stage full.
  __device__ void init_barriers(int arrivals = loaders) const {
    for (int stage = 0; stage < STAGES; ++stage) {
      barrier_init(full(stage), arrivals);
      barrier_init(empty(stage), sharing * consumers * warps);
    }
    for (int consumer = 0; consumer < consumers; ++consumer) {
      for (int buffer = 0; buffer < store_buffers; ++buffer) {
        barrier_init(store_full(consumer, buffer), warps);
        barrier_init(store_empty(consumer, buffer), 1);
      }
    }
  }
};

/// Of this block, from the first address on at which the swizzle begins.
template <typename TheShared>
__device__ __forceinline__ TheShared shared_memory() {
  extern __shared__ unsigned char memory[];
  TheShared shared;
  shared.base = (shared_address(memory) + 1023) / 1024 * 1024;
  return shared;
}

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

/// The first column of a store of a consumer's tile.
__device__ __forceinline__ int first_column_of_store(int index) { return min(index * store_n, consumer_n - store_n); }

/// The part of a tile that a consumer computes, from the tile's first row and column of C on.
__device__ __forceinline__ int first_row_of(int consumer) {
  return CONSUMERS_ALONG_M == 2 ? consumer * slabs * slab_m : 0;
}
__device__ __forceinline__ int first_column_of(int consumer) {
  return CONSUMERS_ALONG_M == 2 ? 0 : consumer * consumer_n;
}

/// What a thread does. A consumer is a warpgroup; of the third one, one thread of a warp leads.
struct Role {
  int consumer;
  int warp;  // of its warpgroup
  bool leads;
};
__device__ __forceinline__ Role role_of_thread() {
  const int warp = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x) / 32, 0);
  return {warp / warps, warp % warps, threadIdx.x % 32 == 0};
}

/// Calls what this thread does: `consume` of all threads of the consumers; `produce` and `store` of one thread each, or
/// `produce` of a warp; `rest` of the warps that are left.
template <bool warp_produces = false, typename Consume, typename Produce, typename Store, typename Rest>
__device__ __forceinline__ void run_role(const Role& role, const Consume& consume, const Produce& produce,
                                         const Store& store, const Rest& rest) {
  if (role.consumer < consumers) {
    take_registers<consumer_registers>();
    consume();
    return;
  }
  give_registers<producer_registers>();
  if (role.warp > 1) {
    rest();
  } else if ((warp_produces || role.leads) && role.warp == 0) {
    produce();
  } else if (role.leads) {
    store();
  }
}

/// The block, or all of its cluster, since the others' barriers are used from here.
__device__ __forceinline__ void block_or_cluster_sync() {
  __syncthreads();
  if constexpr (CLUSTER > 1) {
    cluster_sync();
  }
}

/// Loads a block of k of B's rows into a stage: all of them, or this block's share for all of the cluster. Behind a gate,
/// up begins at row `up` of B. If the cluster shares a tile, the columns that this block keeps come first.
__device__ __forceinline__ void load_box_of_b(const TensorMap& b, int k, int row, int up, Shared shared, int stage) {
  constexpr int rows = gated ? store_n : BLOCK_N / CLUSTER;  // of a box
  constexpr int boxes = BLOCK_N / sharing / rows;
  const int first = sharing > 1 ? static_cast<int>(block_in_cluster()) * boxes : 0;
  const int to_next = parts_of_k > 1 && block_in_cluster() == 1 ? -rows : rows;
#pragma unroll
  for (int box = first; box < first + boxes; ++box) {
    const int from = row + (gated ? box / 2 * rows + box % 2 * up : box * to_next);
    const unsigned to = shared.b(stage) + box * rows * row_bytes;
    if constexpr (sharing == 1) {
      load_box(to, b, k * block_k, from, shared.full(stage));
    } else {
      load_box_multicast(to, b, k * block_k, from, shared.full(stage), (1U << sharing) - 1);
    }
  }
}

/// Loads what a tile multiplies, rows from `a_row` and `b_row` on, over [first_k, end_k). One thread of the block.
__device__ __forceinline__ void load_tile(const TensorMap& a, const TensorMap& b, int first_k, int end_k, int a_row,
                                          int b_row, Shared shared, Stage& place, int up = 0) {
  for (int k = first_k; k < end_k; ++k, place.advance()) {
    const unsigned full = shared.full(place.stage);
    barrier_wait(shared.empty(place.stage), place.parity ^ 1);
    barrier_expect(full, stage_bytes);
    load_box(shared.a(place.stage), a, k * block_k, a_row, full);
    load_box_of_b(b, k, b_row, up, shared, place.stage);
  }
}

/// Tells all blocks that load into this block's stages. Once a warp.
__device__ __forceinline__ void release(unsigned empty) {
  const unsigned lane = threadIdx.x % 32;
  if constexpr (sharing == 1) {
    if (lane == 0) {
      barrier_arrive(empty);
    }
  } else if (lane < sharing) {
    barrier_arrive_at(empty, lane);
  }
}

using Sums = float[slabs][WGMMA_N / 2];

/// The products of a stage.
template <bool fp16>
__device__ __forceinline__ void multiply_stage(Sums& sums, Shared shared, int stage, int consumer, int accumulate) {
  const unsigned long long a = matrix_descriptor(shared.a(stage) + first_row_of(consumer) * row_bytes);
  const unsigned long long b =
      matrix_descriptor(shared.b(stage) + first_column_of(consumer) * products_of_value * row_bytes);
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < row_bytes / 32; ++step) {
#pragma unroll
    for (int slab = 0; slab < slabs; ++slab) {
      wgmma<fp16>(sums[slab], a + step * 2 + slab * (slab_m * row_bytes / 16), b + step * 2,
                  step > 0 ? 1 : accumulate);
    }
  }
  wgmma_commit();
}

/// One tile of a consumer: its rows and columns of every stage.
template <bool fp16>
__device__ __forceinline__ void multiply(Sums& sums, Shared shared, Stage& place, int k_blocks, int consumer) {
  int previous = 0;
  for (int k = 0; k < k_blocks; ++k) {
    barrier_wait(shared.full(place.stage), place.parity);
    multiply_stage<fp16>(sums, shared, place.stage, consumer, k);
    if (k > 0) {  // the stage before: the tensor cores always have the next products to go on with
      wgmma_wait<1>();
      release(shared.empty(previous));
    }
    previous = place.stage;
    place.advance();
  }
  wgmma_wait<0>();
  release(shared.empty(previous));
}

/// Where this thread's matrix row of columns [x, x + 16) of a buffer lies.
__device__ __forceinline__ unsigned matrix_row(unsigned buffer, int x) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = static_cast<int>(threadIdx.x) % warpgroup_threads / 32 * 16 + lane % 16;
  const int chunk = x / 8 + lane / 16;
  return buffer + row * row_bytes + (chunk ^ row % 8) * 16;
}

/// Rounds 16 columns of 64 rows, and puts them into a buffer.
template <bool fp16>
__device__ __forceinline__ void put(unsigned buffer, int x, const float* d) {
  store_matrices(matrix_row(buffer, x), pack<fp16>(d[0], d[1]), pack<fp16>(d[2], d[3]), pack<fp16>(d[4], d[5]),
                 pack<fp16>(d[6], d[7]));
}

/// Tells the thread that stores that this warp has filled its part of a buffer.
__device__ __forceinline__ void hand_over(unsigned store_full) {
  fence_shared_writes();
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    barrier_arrive(store_full);
  }
}

/// Whether anything is to be done to the sums besides scaling them.
__device__ __forceinline__ bool applies(const GemmEpilogue& epilogue) {
  return gated || epilogue.bias != nullptr || epilogue.activation != Activation::none;
}

/// The scales of a consumer's tile, which begins at this row and column of C, loaded ahead of their use. Other blocks may
/// have brought those of rows a moment ago.
class TileScales {
 public:
  __device__ __forceinline__ TileScales(const GemmScales& scales, int n, int row, int column) {
    const int thread = static_cast<int>(threadIdx.x) % warpgroup_threads;
    row += thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
    for (int i = 0; i < 2 * slabs; ++i) {
      const int of_row = min(row + i / 2 * slab_m + i % 2 * 8, scales.m - 1);
      rows_[i] = __ldcg(scales.a + (scales.each ? of_row + of_row / scales.rows_per_shard * scales.shard_room : 0));
    }
#pragma unroll
    for (int i = 0; i < column_words; ++i) {
      columns_[i] = __ldg(scales.b + (scales.each ? min(column + i * 32 + thread % 32, n - 1) : 0));
    }
  }

  __device__ __forceinline__ void apply(Sums& sums) const {
#pragma unroll
    for (int x = 0; x < WGMMA_N; x += 8) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int lane = x % 32 + static_cast<int>(threadIdx.x) % 4 * 2 + i;
        const float of_column = __shfl_sync(0xFFFFFFFFU, columns_[x / 32], lane);
#pragma unroll
        for (int row = 0; row < 2 * slabs; ++row) {
          sums[row / 2][x / 2 + row % 2 * 2 + i] *= rows_[row] * of_column;
        }
      }
    }
  }

 private:
  static constexpr int column_words = (WGMMA_N + 31) / 32;

  float rows_[2 * slabs];        // of this thread
  float columns_[column_words];  // of the lanes, one after another
};

/// Applies bias and activation to the sums of 64 columns of 64 rows, from this column of C on, but for the first `skip`.
/// Behind a gate's sums are those of up.
template <bool fp16, bool gelu = true>
__device__ __forceinline__ void finish_box(float* d, const GemmEpilogue& epilogue, int column, int skip) {
  if (epilogue.bias != nullptr) {
    const auto* const pairs = static_cast<const unsigned*>(epilogue.bias);
    column += static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
    for (int x = 0; x < store_n; x += 8) {
      if (x < skip) {
        continue;
      }
      const float2 bias = unpack<fp16>(column + x < epilogue.n ? __ldg(pairs + (column + x) / 2) : 0);
#pragma unroll
      for (int i = x / 2; i < x / 2 + 4; i += 2) {
        d[i] += bias.x;
        d[i + 1] += bias.y;
      }
    }
  }
  activate<store_n / 2, gelu>(epilogue.activation, d, skip / 2);
  if constexpr (gated) {
#pragma unroll
    for (int i = 0; i < store_n / 2; ++i) {
      d[i] *= d[store_n / 2 + i];
    }
  }
}

/// Calls `f` with the sums that become 64 columns of 64 rows of C, the first of these columns, and how many of them were
/// in the box before, until it has seen the tile.
template <typename TheSums, typename F>
__device__ __forceinline__ void for_each_box(TheSums& sums, const F& f) {
#pragma unroll
  for (int slab = 0; slab < slabs; ++slab) {
#pragma unroll
    for (int first = 0; first + box_n <= kept_n; first += box_n) {
      f(sums[slab] + first / 2, first / products_of_value, 0);
    }
    if constexpr (repeated_columns > 0) {
      f(sums[slab] + (kept_n - box_n) / 2, consumer_n - store_n, repeated_columns);
    }
  }
}

/// The same, but the sums go round if no columns are repeated, so that there is one copy of the code, for the price of
/// many moves.
template <typename F>
__device__ __forceinline__ void turn_through(Sums& sums, const F& f) {
  if constexpr (repeated_columns > 0) {
    for_each_box(sums, f);
    return;
  }
  constexpr int count = slabs * kept_n / 2;
  float* const all = sums[0];
#pragma unroll 1
  for (int first = 0; first < slabs * kept_n; first += box_n) {
    float box[box_n / 2];
#pragma unroll
    for (int i = 0; i < box_n / 2; ++i) {
      box[i] = all[i];
    }
    f(box, first % kept_n / products_of_value, 0);
#pragma unroll
    for (int i = 0; i < count - box_n / 2; ++i) {
      all[i] = all[i + box_n / 2];
    }
#pragma unroll
    for (int i = 0; i < box_n / 2; ++i) {
      all[count - box_n / 2 + i] = box[i];
    }
  }
}

/// Applies bias and activation to a tile, which begins at this column of C.
template <bool fp16>
__device__ __forceinline__ void finish_tile(Sums& sums, const GemmEpilogue& epilogue, int column, int consumer) {
  column += first_column_of(consumer);
  if (epilogue.activation == Activation::gelu) {
    turn_through(sums,
                 [&](float* box, int x, int repeated) { finish_box<fp16>(box, epilogue, column + x, repeated); });
    return;
  }
  for_each_box(sums, [&](float* box, int x, int repeated) {
    finish_box<fp16, false>(box, epilogue, column + x, repeated);
  });
}

/// Hands over 64 columns of 64 rows, by way of the next buffer.
template <bool fp16>
__device__ __forceinline__ void hand_over_box(const float* d, Shared shared, const StoreBuffer& buffer, int consumer) {
  const unsigned to = shared.store(consumer, buffer.stage);
  barrier_wait(shared.store_empty(consumer, buffer.stage), buffer.parity ^ 1);
#pragma unroll
  for (int x = 0; x < store_n; x += 16) {
    put<fp16>(to, x, d + x / 2);
  }
  hand_over(shared.store_full(consumer, buffer.stage));
}

/// Hands over a tile.
template <bool fp16>
__device__ __forceinline__ void hand_over_tile(const Sums& sums, Shared shared, StoreBuffer& buffer, int consumer) {
  for_each_box(sums, [&](const float* box, int, int) {
    hand_over_box<fp16>(box, shared, buffer, consumer);
    buffer.advance();
  });
}

/// Stores what the consumers hand over, by way of buffers in turn for each of them. One thread of the block.
class Storer {
 public:
  /// `kept` buffers are not given to the consumers yet, who wait for them.
  __device__ explicit Storer(Shared shared, int kept = 0) : shared_(shared), pending_(kept) {}

  /// A tile, into C from (row, column) on, or nowhere.
  __device__ __forceinline__ void tile(const TensorMap& c, int row, int column, bool goes = true) {
    tile([&](int y, int x, unsigned from) {
      if (goes) {
        store_box(c, column + x, row + y, from);
      }
    });
  }

  /// A tile by `store(row, column, from)`, which begins to store a box of it.
  template <typename Store>
  __device__ __forceinline__ void tile(const Store& store) {
    for (int slab = 0; slab < slabs; ++slab) {
      for (int index = 0; index < stores; ++index, buffer_.advance()) {
#pragma unroll
        for (int consumer = 0; consumer < consumers; ++consumer) {
          barrier_wait(shared_.store_full(consumer, buffer_.stage), buffer_.parity);
          store(first_row_of(consumer) + slab * slab_m, first_column_of(consumer) + first_column_of_store(index),
                shared_.store(consumer, buffer_.stage));
          commit_stores();
        }
        if (++pending_ == store_buffers) {
          wait_for_stores<consumers*(store_buffers - 1)>();
          give_back(buffer_.stage + 1);
        }
      }
    }
  }

  /// Until the consumers have handed over the first piece of the next tile.
  __device__ void wait_for_tile() const {
    for (int consumer = 0; consumer < consumers; ++consumer) {
      barrier_wait(shared_.store_full(consumer, buffer_.stage), buffer_.parity);
    }
  }
  /// Of each consumer: one that it gets when all are given back. There is one unless a tile has just begun.
  __device__ int kept_buffer() const { return (buffer_.stage + store_buffers - 1) % store_buffers; }
  /// Gives back all buffers as soon as they have been read.
  __device__ void empty() {
    wait_for_stores<0>();
    while (pending_ > 0) {
      give_back(buffer_.stage + store_buffers - pending_);
    }
  }

 private:
  /// The oldest one.
  __device__ __forceinline__ void give_back(int buffer) {
    for (int consumer = 0; consumer < consumers; ++consumer) {
      barrier_arrive(shared_.store_empty(consumer, buffer % store_buffers));
    }
    --pending_;
  }

  Shared shared_;
  StoreBuffer buffer_;
  int pending_;  // buffers that are not given back
};

}  // namespace
