/// C = A * B^T by instructions that devices have from compute capability 8.0 on: each block computes one tile of C. A and
/// B come through a ring of stages in shared memory, copied 16 bytes a thread, and each warp multiplies its part of the
/// tile. Compiled by NVRTC, one variant a config; the macros are MmaGemmConfig's members.
#if __CUDA_ARCH__ < 800
#error "this kernel needs a GPU of compute capability 8.0 or newer"
#endif

#include "gemm_epilogue.cuh"
#include "gemm_order.hpp"
#include "hopper_ptx.cuh"
#include "mma_gemm_parameters.hpp"

using namespace contextual::kernels::cuda;

namespace {

constexpr int block_k = BLOCK_K;
constexpr int row_bytes = 2 * block_k;  // of a stage
constexpr int chunk_bytes = 16;         // of a copy: 8 values
constexpr int chunks = row_bytes / chunk_bytes;
constexpr int stage_bytes = (BLOCK_M + BLOCK_N) * row_bytes;
constexpr int block_threads = WARPS_M * WARPS_N * 32;
constexpr int warp_m = BLOCK_M / WARPS_M;
constexpr int warp_n = BLOCK_N / WARPS_N;
// Of an instruction: 16 rows and 8 columns of C, 16 of k.
constexpr int down = warp_m / 16;
constexpr int across = warp_n / 8;
static_assert(down > 0 && across % 2 == 0);

/// Where a chunk of a row lies. Chunks change places from row to row, so that eight rows of one are in different banks.
__device__ __forceinline__ unsigned place_of(unsigned rows, int row, int chunk) {
  return rows + row * row_bytes + (chunk ^ row % 8) * chunk_bytes;
}

/// Begins to copy `count` rows of a stage; what is outside of the matrix becomes zero. All threads.
template <int count>
__device__ __forceinline__ void load_rows(unsigned to, const void* matrix, int pitch, int first_row, int rows, int first_k,
                                          int k) {
#pragma unroll
  for (int i = 0; i < (count * chunks + block_threads - 1) / block_threads; ++i) {
    const int index = i * block_threads + static_cast<int>(threadIdx.x);
    const int row = index / chunks;
    const int column = first_k + index % chunks * (chunk_bytes / 2);
    if (count * chunks % block_threads != 0 && row >= count) {
      return;
    }
    const bool inside = first_row + row < rows && column < k;
    const auto* const from = static_cast<const unsigned short*>(matrix) +
                             (inside ? static_cast<long long>(first_row + row) * pitch + column : 0);
    hopper::copy_16_bytes(place_of(to, row, index % chunks), from, !inside);
  }
}

/// Adds the products of 16 of k: rows of A's fragment times the two of B.
template <bool fp16>
__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  if constexpr (fp16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

/// Of a warp: of each 16 x 8 values of C a thread has two in row lane / 4, and two 8 rows below.
using Sums = float[down][across][4];

/// Adds the products of a stage to the sums of a warp's part of the tile, which begins at this row and column of it.
template <bool fp16>
__device__ __forceinline__ void multiply_stage(Sums& sums, unsigned stage, int row, int column) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned a_rows = stage;
  const unsigned b_rows = stage + BLOCK_M * row_bytes;
#pragma unroll
  for (int step = 0; step < block_k / 16; ++step) {
    unsigned a[down][4];
#pragma unroll
    for (int i = 0; i < down; ++i) {
      hopper::load_matrices(place_of(a_rows, row + i * 16 + lane % 16, step * 2 + lane / 16), a[i][0], a[i][1], a[i][2],
                            a[i][3]);
    }
#pragma unroll
    for (int j = 0; j < across; j += 2) {
      unsigned b[4];
      hopper::load_matrices(place_of(b_rows, column + j * 8 + lane % 8 + lane / 16 * 8, step * 2 + lane / 8 % 2), b[0],
                            b[1], b[2], b[3]);
#pragma unroll
      for (int i = 0; i < down; ++i) {
        multiply<fp16>(sums[i][j], a[i], b[0], b[1]);
        multiply<fp16>(sums[i][j + 1], a[i], b[2], b[3]);
      }
    }
  }
}

/// Finishes what a warp has, from this row and column of C on, and stores it.
template <bool fp16>
__device__ __forceinline__ void store(const Sums& sums, const MmaGemmParameters& p, int row, int column) {
  row += static_cast<int>(threadIdx.x) % 32 / 4;
  column += static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int j = 0; j < across; ++j) {
    const int x = column + j * 8;
    if (x >= p.n) {
      return;
    }
    const float2 bias =
        unpack<fp16>(p.epilogue.bias != nullptr ? static_cast<const unsigned*>(p.epilogue.bias)[x / 2] : 0);
#pragma unroll
    for (int i = 0; i < down; ++i) {
      float values[4] = {sums[i][j][0] + bias.x, sums[i][j][1] + bias.y, sums[i][j][2] + bias.x, sums[i][j][3] + bias.y};
      activate<4>(p.epilogue.activation, values);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int y = row + i * 16 + half * 8;
        if (y < p.m) {
          auto* const to = static_cast<unsigned short*>(p.c) + static_cast<long long>(y) * p.c_pitch + x;
          *reinterpret_cast<unsigned*>(to) = pack<fp16>(values[2 * half], values[2 * half + 1]);
        }
      }
    }
  }
}

template <bool fp16>
__device__ __forceinline__ void compute(const MmaGemmParameters& p) {
  extern __shared__ __align__(128) unsigned char memory[];
  const unsigned stages = hopper::shared_address(memory);
  const Bands bands(TileOrder{BLOCK_M, BLOCK_N, 1, GROUP, true}, (p.m + BLOCK_M - 1) / BLOCK_M,
                    (p.n + BLOCK_N - 1) / BLOCK_N);
  const Tile tile = bands[static_cast<int>(blockIdx.x)];
  const int k_blocks = (p.k + block_k - 1) / block_k;
  const auto load = [&](int k_block) {
    if (k_block < k_blocks) {
      const unsigned stage = stages + k_block % STAGES * stage_bytes;
      load_rows<BLOCK_M>(stage, p.a, p.a_pitch, tile.m * BLOCK_M, p.m, k_block * block_k, p.k);
      load_rows<BLOCK_N>(stage + BLOCK_M * row_bytes, p.b, p.k, tile.n * BLOCK_N, p.n, k_block * block_k, p.k);
    }
    hopper::commit_copies();  // one group each time, so that they can be counted
  };
  for (int k_block = 0; k_block < STAGES - 1; ++k_block) {
    load(k_block);
  }
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp % WARPS_M * warp_m;
  const int column = warp / WARPS_M * warp_n;
  Sums sums = {};
  for (int k_block = 0; k_block < k_blocks; ++k_block) {
    hopper::wait_for_copies<STAGES - 2>();
    __syncthreads();  // all have copied this stage, and have read the one before, which is loaded next
    load(k_block + STAGES - 1);
    multiply_stage<fp16>(sums, stages + k_block % STAGES * stage_bytes, row, column);
  }
  store<fp16>(sums, p, tile.m * BLOCK_M + row, tile.n * BLOCK_N + column);
}

}  // namespace

extern "C" __global__ __launch_bounds__(block_threads) void mma_gemm(const __grid_constant__ MmaGemmParameters p) {
  p.fp16 ? compute<true>(p) : compute<false>(p);
}
