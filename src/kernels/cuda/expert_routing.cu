/// A stable sort of (row, place) by expert, and the tiles that follow from it: see ExpertRouting. Compiled by NVRTC.
#include "kernels/cuda/expert_tables.hpp"

using namespace contextual::kernels::cuda;

namespace {

constexpr int threads = ExpertRoutingParameters::threads;
constexpr int warps = threads / 32;
constexpr int rounds = ExpertRoutingParameters::entries_of_thread;

/// This thread's pair in a round. Those of a warp follow each other, round by round.
__device__ int entry_of_thread(int round) {
  const int thread = static_cast<int>(threadIdx.x);
  return static_cast<int>(blockIdx.x) * ExpertRoutingParameters::entries + thread / 32 * 32 * rounds + round * 32 +
         thread % 32;
}

/// That the pair chooses, or -1.
__device__ int expert_of(const ExpertRoutingParameters& p, int entry) {
  const int id = entry < p.count ? p.ids[entry] : -1;
  return id < p.tables.experts ? max(id, -1) : -1;
}

/// The sum of the values of a warp's threads up to this one.
__device__ int sum_in_warp(int value) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(0xFFFFFFFFU, value, distance);
    value += static_cast<int>(threadIdx.x) % 32 >= distance ? before : 0;
  }
  return value;
}

/// The sum of the values of the block's threads before this one.
__device__ int sum_before(int value) {
  __shared__ int sums[warps];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int sum = sum_in_warp(value);
  if (lane == 31) {
    sums[warp] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    sums[lane] = sum_in_warp(sums[lane]);
  }
  __syncthreads();
  const int before = sum - value + (warp > 0 ? sums[warp - 1] : 0);
  __syncthreads();
  return before;
}

/// Calls `f(place, count)` for what each block has counted of an expert, in order. What is read is read ahead.
template <typename F>
__device__ void for_blocks(const ExpertRoutingParameters& p, int blocks, int expert, const F& f) {
  constexpr int at_once = 16;
  for (int first = 0; first < blocks; first += at_once) {
    int* const places = p.of_blocks + first * p.tables.experts + expert;
    int counts[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      counts[i] = first + i < blocks ? __ldcg(places + i * p.tables.experts) : 0;
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      if (first + i < blocks) {
        f(places + i * p.tables.experts, counts[i]);
      }
    }
  }
}

/// One block, when all have counted. Thread i has expert i.
__device__ void make_tables(const ExpertRoutingParameters& p, int blocks) {
  const ExpertTables& tables = p.tables;
  const int expert = static_cast<int>(threadIdx.x);
  int count = 0;
  if (expert < tables.experts) {
    for_blocks(p, blocks, expert, [&](int*, int in_block) { count += in_block; });
  }
  const int first = sum_before(count);
  if (expert < tables.experts) {
    int position = first;
    for_blocks(p, blocks, expert, [&](int* place, int in_block) {
      *place = position;
      position += in_block;
    });
  }
  if (expert <= tables.experts) {
    tables.offsets[expert] = first;
  }
  for (int list = 0; list < ExpertTables::lists; ++list) {
    const int height = ExpertTables::least_height << list;
    const int tiles = (count + height - 1) / height;
    const int before = sum_before(tiles);
    for (int i = 0; i < tiles; ++i) {
      p.listed[list][before + i] = {expert, first + i * height, first + count, 0};
    }
    if (expert == tables.experts) {
      tables.tile_count[list] = before;
    }
  }
}

/// Which ranks have rows of a tile, and how late the last of them comes: this rank is 0, the next one 1.
struct Sources {
  unsigned ranks;
  int last;
};
__device__ Sources sources_of(const ExpertRoutingParameters& p, const ExpertTile& tile, int height) {
  const int* const rows = p.tables.rows;
  const int end = rows[min(tile.first + height, tile.end) - 1] / p.rows_per_shard;
  Sources sources{0, 0};
  for (int rank = rows[tile.first] / p.rows_per_shard; rank <= end; ++rank) {
    sources.ranks |= 1U << rank;
    sources.last = max(sources.last, rank < p.rank ? rank + p.ranks - p.rank : rank - p.rank);
  }
  return sources;
}

}  // namespace

extern "C" __global__ __launch_bounds__(threads) void count_experts(const __grid_constant__ ExpertRoutingParameters p) {
  __shared__ int counts[ExpertTables::most_experts];
  __shared__ bool is_last;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < p.tables.experts) {
    counts[thread] = 0;
  }
  __syncthreads();
#pragma unroll
  for (int round = 0; round < rounds; ++round) {
    const int expert = expert_of(p, entry_of_thread(round));
    if (expert >= 0) {
      atomicAdd(counts + expert, 1);
    }
  }
  __syncthreads();
  if (thread < p.tables.experts) {
    p.of_blocks[static_cast<int>(blockIdx.x) * p.tables.experts + thread] = counts[thread];
    __threadfence();
  }
  __syncthreads();
  if (thread == 0) {
    is_last = atomicAdd(p.done, 1U) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last) {
    make_tables(p, static_cast<int>(gridDim.x));
  }
}

extern "C" __global__ __launch_bounds__(threads) void place_rows(const __grid_constant__ ExpertRoutingParameters p) {
  __shared__ unsigned short before[warps][ExpertTables::most_experts];  // in warps before this one, of the block
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int experts = p.tables.experts;
  if (blockIdx.x == 0 && thread == 0) {
    *p.done = 0;
  }
  for (int i = thread; i < warps * experts; i += threads) {
    before[i / experts][i % experts] = 0;
  }
  __syncthreads();
  int chosen[rounds];
  int in_warp[rounds];  // those of the same expert before this one
#pragma unroll
  for (int round = 0; round < rounds; ++round) {
    chosen[round] = expert_of(p, entry_of_thread(round));
  }
#pragma unroll
  for (int round = 0; round < rounds; ++round) {
    const int expert = chosen[round];
    const unsigned same = __match_any_sync(0xFFFFFFFFU, expert);
    const int here = __popc(same & ((1U << thread % 32) - 1));
    in_warp[round] = here + (expert >= 0 ? before[warp][expert] : 0);
    __syncwarp();
    if (expert >= 0 && here == 0) {
      before[warp][expert] += static_cast<unsigned short>(__popc(same));
    }
    __syncwarp();
  }
  __syncthreads();
  if (thread < experts) {
    int sum = 0;
    for (int i = 0; i < warps; ++i) {
      const int count = before[i][thread];
      before[i][thread] = static_cast<unsigned short>(sum);
      sum += count;
    }
  }
  __syncthreads();
#pragma unroll
  for (int round = 0; round < rounds; ++round) {
    const int entry = entry_of_thread(round);
    const int expert = chosen[round];
    int position = -1;
    if (expert >= 0) {
      position = p.of_blocks[static_cast<int>(blockIdx.x) * experts + expert] + before[warp][expert] + in_warp[round];
      p.tables.rows[position] = entry / p.tables.top_k;
    }
    if (entry < p.count) {
      p.tables.positions[entry] = position;
    }
  }
}

extern "C" __global__ __launch_bounds__(threads) void order_tiles(const __grid_constant__ ExpertRoutingParameters p) {
  __shared__ int places[warps][ExpertTables::most_ranks];  // of the warp's first tile; before that, of how many
  __shared__ int next[ExpertTables::most_ranks];           // place of a tile whose last rows come then
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int list = static_cast<int>(blockIdx.x);
  const int height = ExpertTables::least_height << list;
  const int count = p.tables.tile_count[list];
  if (thread < p.ranks) {
    next[thread] = 0;
  }
  __syncthreads();
  for (int i = thread; i < count; i += threads) {
    atomicAdd(next + sources_of(p, p.listed[list][i], height).last, 1);
  }
  __syncthreads();
  if (thread == 0) {
    int sum = 0;
    for (int i = 0; i < p.ranks; ++i) {
      const int here = next[i];
      next[i] = sum;
      sum += here;
    }
  }
  for (int first = 0; first < count; first += threads) {
    for (int i = thread; i < warps * ExpertTables::most_ranks; i += threads) {
      places[i / ExpertTables::most_ranks][i % ExpertTables::most_ranks] = 0;
    }
    __syncthreads();
    ExpertTile tile{};
    int last = -1;
    if (first + thread < count) {
      tile = p.listed[list][first + thread];
      const Sources sources = sources_of(p, tile, height);
      tile.sources = sources.ranks;
      last = sources.last;
    }
    const unsigned same = __match_any_sync(0xFFFFFFFFU, last);
    const int here = __popc(same & ((1U << thread % 32) - 1));
    if (last >= 0 && here == 0) {
      places[warp][last] = __popc(same);
    }
    __syncthreads();
    if (thread < p.ranks) {
      for (int i = 0; i < warps; ++i) {
        const int tiles = places[i][thread];
        places[i][thread] = next[thread];
        next[thread] += tiles;
      }
    }
    __syncthreads();
    if (last >= 0) {
      p.tables.tiles[list][places[warp][last] + here] = tile;
    }
    __syncthreads();
  }
}
