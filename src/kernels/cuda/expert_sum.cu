/// The sum of a row over its experts: see ExpertSumArgs. Compiled by NVRTC; the macros are ExpertSumConfig's members.
#include "expert_sum.cuh"

namespace {

template <bool fp16>
__device__ void sum_rows(const ExpertSumParameters& p) {
  const int across = p.n / width;  // vectors of a row
  const int pieces = (across + VECTORS - 1) / VECTORS;
  const long long count = static_cast<long long>(p.rows) * pieces;
  const long long threads = static_cast<long long>(gridDim.x) * THREADS;
  for (long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x; i < count; i += threads) {
    const long long row = i / pieces;
    const int first = static_cast<int>(i % pieces);  // the others are a piece further each
    float sums[VECTORS][width] = {};
    add_experts<fp16>(p, row, first, pieces, sums);
#pragma unroll
    for (int vector = 0; vector < VECTORS; ++vector) {
      if (first + vector * pieces < across) {
        static_cast<uint4*>(p.out)[row * across + first + vector * pieces] = pack_vector<fp16>(sums[vector]);
      }
    }
  }
}

}  // namespace

extern "C" __global__ __launch_bounds__(THREADS) void expert_sum(const __grid_constant__ ExpertSumParameters p) {
  if (p.fp16) {
    sum_rows<true>(p);
  } else {
    sum_rows<false>(p);
  }
}
