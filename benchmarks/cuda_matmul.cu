/// c = a b^T in bf16 with sums in float, by mma.sync with cp.async stages: a plain kernel with many configs.
/// a: M x K, b: N x K, c: M x N, rows without gaps; M a multiple of BLOCK_M, N of BLOCK_N, K of BLOCK_K.
/// BLOCK_M, BLOCK_N: a block's tile, 64 or 128; BLOCK_K: 32 or 64; STAGES: tiles under way, from 2 on.
/// 4 warps, 2 x 2.

using Bits = unsigned short;  // of a bf16

constexpr int threads = 128;
constexpr int row = BLOCK_K + 8;  // 16 bytes of padding: a warp's ldmatrix meets every bank once
constexpr int stage = (BLOCK_M + BLOCK_N) * row;
constexpr int warp_m = BLOCK_M / 2;
constexpr int warp_n = BLOCK_N / 2;

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

template <int Rows>
__device__ void load_tile(Bits* to, const Bits* from, int k) {
  constexpr int per_row = BLOCK_K / 8;  // loads of 16 bytes
#pragma unroll
  for (int i = threadIdx.x; i < Rows * per_row; i += threads) {
    const int r = i / per_row;
    const int column = i % per_row * 8;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to + r * row + column)),
                 "l"(from + static_cast<long long>(r) * k + column));
  }
}

__device__ void load_matrices(unsigned (&to)[4], const Bits* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(from)));
}

__device__ void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ unsigned pack(float low, float high) {
  unsigned bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}

using Sums = float[warp_m / 16][warp_n / 8][4];

__device__ void multiply_stage(Sums& sums, const Bits* a, const Bits* b, int lane) {
#pragma unroll
  for (int k = 0; k < BLOCK_K; k += 16) {
    unsigned a_parts[warp_m / 16][4];
    unsigned b_parts[warp_n / 16][4];
#pragma unroll
    for (int i = 0; i < warp_m / 16; ++i) {
      load_matrices(a_parts[i], a + (i * 16 + lane % 16) * row + k + lane / 16 * 8);
    }
#pragma unroll
    for (int j = 0; j < warp_n / 16; ++j) {
      load_matrices(b_parts[j], b + (j * 16 + lane / 16 * 8 + lane % 8) * row + k + lane / 8 % 2 * 8);
    }
#pragma unroll
    for (int i = 0; i < warp_m / 16; ++i) {
#pragma unroll
      for (int j = 0; j < warp_n / 8; ++j) {
        multiply(sums[i][j], a_parts[i], b_parts[j / 2][j % 2 * 2], b_parts[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(threads) matmul(Bits* c, const Bits* a, const Bits* b, int n, int k) {
  extern __shared__ __align__(16) Bits tiles[];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const long long first_row = static_cast<long long>(blockIdx.y) * BLOCK_M;
  const long long first_column = static_cast<long long>(blockIdx.x) * BLOCK_N;
  const int steps = k / BLOCK_K;
  const auto load = [&](int step) {
    if (step < steps) {
      Bits* to = tiles + step % STAGES * stage;
      load_tile<BLOCK_M>(to, a + first_row * k + step * BLOCK_K, k);
      load_tile<BLOCK_N>(to + BLOCK_M * row, b + first_column * k + step * BLOCK_K, k);
    }
    asm volatile("cp.async.commit_group;");
  };
  Sums sums = {};
#pragma unroll
  for (int step = 0; step < STAGES - 1; ++step) {
    load(step);
  }
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
    __syncthreads();  // this step's tile is there, and the one before it has been read
    load(step + STAGES - 1);
    const Bits* from = tiles + step % STAGES * stage;
    multiply_stage(sums, from + warp / 2 * warp_m * row, from + (BLOCK_M + warp % 2 * warp_n) * row, lane);
  }
#pragma unroll
  for (int i = 0; i < warp_m / 16; ++i) {
#pragma unroll
    for (int j = 0; j < warp_n / 8; ++j) {
      const long long r = first_row + warp / 2 * warp_m + i * 16 + lane / 4;
      const long long column = first_column + warp % 2 * warp_n + j * 8 + lane % 4 * 2;
      *reinterpret_cast<unsigned*>(c + r * n + column) = pack(sums[i][j][0], sums[i][j][1]);
      *reinterpret_cast<unsigned*>(c + (r + 8) * n + column) = pack(sums[i][j][2], sums[i][j][3]);
    }
  }
}
