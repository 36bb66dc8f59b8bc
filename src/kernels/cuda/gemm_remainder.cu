/// What is left to do to C behind a GEMM without an epilogue: see GemmRemainder. 8 values a thread at a time.
#include "gemm_epilogue.cuh"

using contextual::kernels::cuda::GemmRemainder;

namespace {

constexpr int width = 8;

template <bool fp16>
__device__ void load(const void* from, long long vector, float* x) {
  const uint4 packed = static_cast<const uint4*>(from)[vector];
  const unsigned pairs[] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
  for (int i = 0; i < width / 2; ++i) {
    const float2 values = unpack<fp16>(pairs[i]);
    x[2 * i] = values.x;
    x[2 * i + 1] = values.y;
  }
}

template <bool fp16>
__device__ void load_and_add(const void* from, long long vector, float* sums) {
  float x[width];
  load<fp16>(from, vector, x);
#pragma unroll
  for (int i = 0; i < width; ++i) {
    sums[i] += x[i];
  }
}

template <bool fp16>
__device__ void finish(const GemmRemainder& p) {
  const int across = p.epilogue.n / width;
  const long long count = static_cast<long long>(p.rows) * across;
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    const long long row = i / across;
    const long long vector = i % across;
    float x[width];
    load<fp16>(p.sums, row * (p.sums_pitch / width) + vector, x);
    if (p.epilogue.bias != nullptr) {
      load_and_add<fp16>(p.epilogue.bias, vector, x);
    }
    activate<width>(p.epilogue.activation, x);
    if (p.residual != nullptr) {
      load_and_add<fp16>(p.residual, row * (p.residual_pitch / width) + vector, x);
    }
    static_cast<uint4*>(p.c)[row * (p.c_pitch / width) + vector] = {
        pack<fp16>(x[0], x[1]), pack<fp16>(x[2], x[3]), pack<fp16>(x[4], x[5]), pack<fp16>(x[6], x[7])};
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
