#pragma once

/// The sum of vectors of a row over its experts. Compiled by NVRTC.

#include "kernels/cuda/expert_tables.hpp"
#include "gemm_epilogue.cuh"

namespace {

using contextual::kernels::cuda::ExpertSumParameters;

/// Adds the row's products, by their weights, to vectors `first`, `first + pieces`, ... of the row.
template <bool fp16, int vectors>
__device__ __forceinline__ void add_experts(const ExpertSumParameters& p, long long row, int first, int pieces,
                                            float (&sums)[vectors][width]) {
  const int across = p.n / width;  // vectors of a row
#pragma unroll 2
  for (int place = 0; place < p.top_k; ++place) {
    const int position = __ldg(p.positions + row * p.top_k + place);
    const float weight = __ldg(p.topk_weights + row * p.top_k + place);
    if (position < 0 || position >= p.positions_of_rows) {
      continue;
    }
    const auto* const of_row = static_cast<const uint4*>(p.y) + static_cast<long long>(position) * across;
#pragma unroll
    for (int vector = 0; vector < vectors; ++vector) {
      if (first + vector * pieces < across) {
        float values[width] = {};
        add_vector<fp16>(__ldg(of_row + first + vector * pieces), values);
#pragma unroll
        for (int j = 0; j < width; ++j) {
          sums[vector][j] = fmaf(weight, values[j], sums[vector][j]);
        }
      }
    }
  }
}

}  // namespace
