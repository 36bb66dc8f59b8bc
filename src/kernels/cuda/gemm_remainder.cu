/// What is left to do to C behind a GEMM without an epilogue: see GemmRemainder. 8 values a thread at a time.
#include "gemm_epilogue.cuh"

using contextual::kernels::cuda::GemmRemainder;

namespace {

template <bool fp16>
__device__ void finish(const GemmRemainder& p) {
  const int across = p.epilogue.n / width;
  const long long count = static_cast<long long>(p.rows) * across;
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    const long long row = i / across;
    const long long vector = i % across;
    float x[width] = {};
    const long long of_sums = row * (p.sums_pitch / width) + vector;
    add_vector<fp16>(static_cast<const uint4*>(p.sums)[of_sums], x);
    finish_vector<fp16>(x, p.epilogue, vector, p.residual, row * (p.residual_pitch / width) + vector);
    if (p.factor != nullptr) {
      float factor[width] = {};
      add_vector<fp16>(static_cast<const uint4*>(p.factor)[of_sums], factor);
#pragma unroll
      for (int j = 0; j < width; ++j) {
        x[j] *= factor[j];
      }
    }
    static_cast<uint4*>(p.c)[row * (p.c_pitch / width) + vector] = pack_vector<fp16>(x);
  }
}

}  // namespace

extern "C" __global__ void gemm_remainder(const __grid_constant__ GemmRemainder p) {
  if (p.fp16) {
    finish<true>(p);
  } else {
    finish<false>(p);
  }
}
