#pragma once

/// Sums of fp8 that are taken over 128 of k in the tensor cores, and then in float, since the tensor cores' own have
/// fewer bits; scales of blocks belong in between. Compiled by NVRTC as a part of gemm.cu and
/// gemm_gather.cu, behind gemm_pipeline.cuh.

#include "gemm_walk.cuh"
#include "kernels/cuda/gemm_parameters.hpp"
#include "hopper_ptx.cuh"
#include "hopper_wgmma.cuh"

namespace {

using contextual::kernels::cuda::GemmParameters;

using Part = float[WGMMA_N / 2];  // of the sums over a stage: those of 64 rows

// While a warpgroup adds up in float, the tensor cores go on: with its own next products where its registers hold two
// parts beside the sums, otherwise with those of the other warpgroup. In step, both would leave the tensor cores idle at
// the same time, so one leads by the products of 64 rows.
constexpr bool two_parts = slabs == 1 && WGMMA_N <= 128;
constexpr int lead_barrier = 1;  // a named one
constexpr int lead_threads = consumers * warpgroup_threads;

constexpr int scale_block = 128;
constexpr bool crosses_blocks = tile_n % scale_block != 0 && scale_block % tile_n != 0;
static_assert(tile_n <= 2 * scale_block && (crosses_blocks || scale_block % consumer_n == 0));
// Columns that have one scale: blocks of B begin at multiples of it from a tile's first column on.
constexpr int columns_of_scale = crosses_blocks ? tile_n & -tile_n : WGMMA_N;
static_assert(!crosses_blocks || tile_n - columns_of_scale <= scale_block);

#if BLOCK_SCALES
/// Loads the scales of a tile that begins at this row and column. One warp of the block. Where they follow each other at
/// 16 bytes, a lane copies those of four rows at once.
template <bool in_shards>
class ScaleLoader {
 public:
  /// Rows from `end` on need none; their shared memory may hold anything.
  __device__ __forceinline__ ScaleLoader(const GemmScales& scales, int k_blocks, int n, int row, int end, int column)
      : of_rows_(scales.a),
        of_column_(scales.b +
                   static_cast<long long>(min(column / scale_block + lane(), (n - 1) / scale_block)) * k_blocks),
        pitch_(scales.pitch),
        rows_(min(end - row, BLOCK_M)) {
    const auto place = [&](int its) {
      return its + (in_shards ? its / scales.rows_per_shard * scales.shard_room : 0);
    };
    const int first = place(row);
    const bool follow = rows_ > 0 && (!in_shards || place(row + rows_ - 1) - first == rows_ - 1);
    by_fours_ = follow && ((pitch_ | first) % 4 | reinterpret_cast<unsigned long long>(scales.a) % 16) == 0;
#pragma unroll
    for (int i = 0; i < BLOCK_M / 32; ++i) {
      offsets_[i] = by_fours_ ? first + i / 4 * 128 + lane() * 4 : place(row + i * 32 + lane());
    }
  }

  /// Those of the next block of k, into a stage that is free; each lane arrives.
  __device__ __forceinline__ void load(Shared shared, int stage) {
    const unsigned to = shared.scales(stage);
    if (by_fours_) {
#pragma unroll
      for (int i = 0; i < BLOCK_M; i += 128) {
        if (i + lane() * 4 < rows_) {
          copy_16_bytes(to + (i + lane() * 4) * 4, of_rows_ + offsets_[i / 32], false);
        }
      }
    } else {
#pragma unroll
      for (int i = 0; i < BLOCK_M; i += 32) {
        if (i + lane() < rows_) {
          copy_4_bytes(to + (i + lane()) * 4, of_rows_ + offsets_[i / 32]);
        }
      }
    }
    of_rows_ += pitch_;
    if (lane() < 2) {
      copy_4_bytes(to + (BLOCK_M + lane()) * 4, of_column_);
    }
    ++of_column_;
    arrive_after_copies(shared.full(stage));
  }

 private:
  static __device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x) % 32; }

  const float* of_rows_;
  const float* of_column_;
  int pitch_;
  int rows_;
  bool by_fours_;
  int offsets_[BLOCK_M / 32];
};

/// One warp of the block.
__device__ void produce_scales(const GemmParameters& p, Shared shared) {
  const Walk walk(p);
  const int k_blocks = (p.k + block_k - 1) / block_k;
  Stage place;
  for (int index = blockIdx.x / CLUSTER; index < walk.count(); index += gridDim.x / CLUSTER) {
    const Tile tile = walk[index];
    ScaleLoader<false> scales(p.scales, k_blocks, p.n, tile.m * BLOCK_M, p.scales.m, tile.n * tile_n);
    for (int k = 0; k < k_blocks; ++k, place.advance()) {
      barrier_wait(shared.empty(place.stage), place.parity ^ 1);
      scales.load(shared, place.stage);
    }
  }
}

/// The scales of a consumer's tile: those of blocks, with which parts are multiplied.
class Scales {
 public:
  /// Of rows 8 apart, and of one block of B, or of two.
  struct Factors {
    float left[2];
    float right[2];
    int split;  // the first column of the right one

    __device__ __forceinline__ void add(float* sums, const Part& part) const {
#pragma unroll
      for (int x = 0; x < WGMMA_N; x += columns_of_scale) {
        const bool is_right = crosses_blocks && x >= split;
#pragma unroll
        for (int i = x / 2; i < (x + columns_of_scale) / 2; ++i) {
          const int row = i / 2 % 2;
          sums[i] += (is_right ? right[row] : left[row]) * part[i];
        }
      }
    }
  };

  /// Of a tile that begins at this row and column.
  __device__ __forceinline__ Scales(const GemmScales& /*scales*/, int /*n*/, int /*row*/, int column, int consumer)
      : a_word_((first_row_of(consumer) + static_cast<int>(threadIdx.x) % warpgroup_threads / 32 * 16 +
                 static_cast<int>(threadIdx.x) % 32 / 4) *
                4),
        b_word_((BLOCK_M + first_column_of(consumer) / scale_block) * 4),
        split_(scale_block - (column & (scale_block - 1))) {}

  __device__ __forceinline__ Factors operator()(Shared shared, int stage, int slab) const {
    const unsigned from = shared.scales(stage);
    const float of_row[] = {load_float(from + a_word_ + slab * slab_m * 4),
                            load_float(from + a_word_ + slab * slab_m * 4 + 8 * 4)};
    const float left = load_float(from + b_word_);
    const float right = crosses_blocks ? load_float(from + b_word_ + 4) : left;
    return {{of_row[0] * left, of_row[1] * left}, {of_row[0] * right, of_row[1] * right}, split_};
  }
  __device__ __forceinline__ void apply(Sums& /*sums*/) const {}

 private:
  static __device__ __forceinline__ float load_float(unsigned word) { return __uint_as_float(load_shared(word)); }

  unsigned a_word_;
  unsigned b_word_;
  int split_;
};
#else
/// The same of tensors or rows, with which sums are multiplied.
class Scales {
 public:
  struct Factors {
    __device__ __forceinline__ void add(float* sums, const Part& part) const {
#pragma unroll
      for (int i = 0; i < WGMMA_N / 2; ++i) {
        sums[i] += part[i];
      }
    }
  };

  __device__ __forceinline__ Scales(const GemmScales& scales, int n, int row, int column, int consumer)
      : of_tile_(scales, n, row + first_row_of(consumer), column + first_column_of(consumer)) {}

  __device__ __forceinline__ Factors operator()(Shared /*shared*/, int /*stage*/, int /*slab*/) const { return {}; }
  __device__ __forceinline__ void apply(Sums& sums) const { of_tile_.apply(sums); }

 private:
  TileScales of_tile_;
};
#endif

/// Begins the products of a stage for 64 rows.
template <bool fp16>
__device__ __forceinline__ void multiply_slab(Part& part, Shared shared, int stage, int consumer, int slab) {
  constexpr int steps = row_bytes / 32;
  const unsigned long long a =
      matrix_descriptor(shared.a(stage) + (first_row_of(consumer) + slab * slab_m) * row_bytes);
  const unsigned long long b = matrix_descriptor(shared.b(stage) + first_column_of(consumer) * row_bytes);
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    wgmma<fp16>(part, a + step * 2, b + step * 2, step > 0 ? 1 : 0);
  }
  wgmma_commit();
}

/// When all but the last `pending` groups are done.
template <int pending>
__device__ __forceinline__ void wait_for_part(Part& part) {
  wgmma_wait<pending>();
#pragma unroll
  for (float& sum : part) {
    asm volatile("" : "+f"(sum)::"memory");  // not read before the wait
  }
}

/// Begins the products of the next stage, and returns it.
template <bool fp16>
__device__ __forceinline__ int begin_part(Part& part, Shared shared, Stage& place, int consumer) {
  const int stage = place.stage;
  barrier_wait(shared.full(stage), place.parity);
  multiply_slab<fp16>(part, shared, stage, consumer, 0);
  place.advance();
  return stage;
}

/// Adds the products of a stage, while those of `pending` later ones may still run.
template <int pending>
__device__ __forceinline__ void end_part(Sums& sums, Part& part, Shared shared, int stage, const Scales& scales) {
  const auto factors = scales(shared, stage, 0);
  wait_for_part<pending>(part);
  release(shared.empty(stage));
  factors.add(sums[0], part);
}

__device__ __forceinline__ void clear(Sums& sums) {
#pragma unroll
  for (int i = 0; i < slabs * WGMMA_N / 2; ++i) {
    sums[0][i] = 0;
  }
}

__device__ __forceinline__ Scales scales_of(const GemmParameters& p, int index, int consumer) {
  const Tile tile = Walk(p)[index];
  return {p.scales, p.n, tile.m * BLOCK_M, tile.n * tile_n, consumer};
}

/// Scales, finishes and hands over a tile's sums.
template <bool fp16>
__device__ __forceinline__ void hand_over_sums(Sums& sums, const Scales& scales, const GemmParameters& p, int index,
                                               Shared shared, StoreBuffer& buffer, int consumer) {
  scales.apply(sums);
  if (applies(p.epilogue)) {
    finish_tile<fp16>(sums, p.epilogue, Walk(p)[index].n * tile_n, consumer);
  }
  hand_over_tile<fp16>(sums, shared, buffer, consumer);
}

/// One warpgroup, with two parts. The first products of the next tile begin before a tile's sums are handed over.
template <bool fp16>
__device__ __forceinline__ void consume_ahead(const GemmParameters& p, Shared shared, int consumer) {
  const int stride = static_cast<int>(gridDim.x) / CLUSTER;
  const int k_blocks = (p.k + block_k - 1) / block_k;
  int index = static_cast<int>(blockIdx.x) / CLUSTER;
  int all_left = (Walk(p).count() - index + stride - 1) / stride * k_blocks;
  int left = k_blocks;  // of the tile
  Scales scales = scales_of(p, index, consumer);
  Stage place;
  StoreBuffer buffer;
  Sums sums;
  Part even;
  Part odd;
  clear(sums);
  const auto count_part = [&] {
    if (--left == 0) {
      hand_over_sums<fp16>(sums, scales, p, index, shared, buffer, consumer);
      index += stride;
      left = k_blocks;
      scales = scales_of(p, index, consumer);
      clear(sums);
    }
  };
  int even_stage = begin_part<fp16>(even, shared, place, consumer);
  // With a way out before each part that begins, and nothing shared between them, the compiler sees which part the
  // tensor cores still write. Otherwise it lets them do one instruction after the other, and says so.
  while (true) {
    if (all_left == 1) {
      end_part<0>(sums, even, shared, even_stage, scales);
      break;
    }
    const int odd_stage = begin_part<fp16>(odd, shared, place, consumer);
    end_part<1>(sums, even, shared, even_stage, scales);
    count_part();
    if (all_left == 2) {
      end_part<0>(sums, odd, shared, odd_stage, scales);
      break;
    }
    even_stage = begin_part<fp16>(even, shared, place, consumer);
    end_part<1>(sums, odd, shared, odd_stage, scales);
    count_part();
    all_left -= 2;
  }
  hand_over_sums<fp16>(sums, scales, p, index, shared, buffer, consumer);
}

/// One tile of a consumer, with one part. The first consumer leads if a tile takes all stages: it reaches the next
/// tile, and arrives again, only after the other one has released a stage of this tile, and so has passed the barrier.
template <bool fp16>
__device__ __forceinline__ void multiply_with_lead(Sums& sums, const Scales& scales, Shared shared, Stage& place,
                                                   int k_blocks, int consumer) {
  const bool one_leads = k_blocks >= STAGES;
  clear(sums);
  if (one_leads && consumer == 1) {
    named_barrier_wait<lead_threads>(lead_barrier);
  }
  for (int k = 0; k < k_blocks; ++k, place.advance()) {
    barrier_wait(shared.full(place.stage), place.parity);
#pragma unroll
    for (int slab = 0; slab < slabs; ++slab) {
      Part part;
      const auto factors = scales(shared, place.stage, slab);
      multiply_slab<fp16>(part, shared, place.stage, consumer, slab);
      wait_for_part<0>(part);
      if (one_leads && consumer == 0 && k == 0 && slab == 0) {
        named_barrier_arrive<lead_threads>(lead_barrier);
      }
      if (slab == slabs - 1) {
        release(shared.empty(place.stage));
      }
      factors.add(sums[slab], part);
    }
  }
}

/// One warpgroup.
template <bool fp16>
__device__ __forceinline__ void consume_with_lead(const GemmParameters& p, Shared shared, int consumer) {
  const int tiles = Walk(p).count();
  const int k_blocks = (p.k + block_k - 1) / block_k;
  Stage place;
  StoreBuffer buffer;
  Sums sums;
  for (int index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
    const Scales scales = scales_of(p, index, consumer);
    multiply_with_lead<fp16>(sums, scales, shared, place, k_blocks, consumer);
    hand_over_sums<fp16>(sums, scales, p, index, shared, buffer, consumer);
  }
}

template <bool fp16>
__device__ __forceinline__ void consume_promoted(const GemmParameters& p, Shared shared, int consumer) {
  if constexpr (two_parts) {
    consume_ahead<fp16>(p, shared, consumer);
  } else {
    consume_with_lead<fp16>(p, shared, consumer);
  }
}

}  // namespace
