/// Sums the partial sums of all ranks for this rank's rows, chunk by chunk as they come, in float and in the order of the
/// ranks, so that the result does not depend on who was first. Compiled by NVRTC.

#include "peer_control.hpp"
#include "peer_wait.cuh"
#include "peer_words.cuh"

using namespace contextual::kernels::cuda;

namespace {

constexpr int width = 8;  // values of a load of 16 bytes

struct alignas(16) Vector {
  unsigned short values[width];
};

__device__ __forceinline__ float to_float(unsigned short bits, bool fp16) {
  if (!fp16) {
    return __uint_as_float(static_cast<unsigned>(bits) << 16);
  }
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}

__device__ __forceinline__ unsigned short from_float(float value, bool fp16) {
  unsigned short bits;
  if (fp16) {
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  } else {
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  }
  return bits;
}

/// Waits until all ranks have offered a chunk. For the whole block.
__device__ bool await_chunk(const PeerBegin& p, int chunk) {
  const int rank = static_cast<int>(threadIdx.x);
  bool here = true;
  if (rank < p.ranks) {
    const unsigned* const offered = &p.control[p.rank]->offered[rank * PeerControl::flags_per_rank + chunk];
    here = wait_until(p, PeerFailure::not_offered + rank, [&] { return load_from_peers(offered) != 0; });
  }
  return __syncthreads_and(here ? 1 : 0) != 0;
}

}  // namespace

extern "C" __global__ __launch_bounds__(512) void peer_sum(const __grid_constant__ PeerSum p) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int begin = 0, chunk = 0; begin < p.rows; begin += p.rows_per_chunk, ++chunk) {
    if (!await_chunk(p.peers, chunk)) {
      return;  // the end of the call fills the output with NaN
    }
    const long long first = static_cast<long long>(begin) * p.n / width;
    const long long end = static_cast<long long>(min(begin + p.rows_per_chunk, p.rows)) * p.n / width;
    for (long long i = first + thread; i < end; i += threads) {
      float sums[width] = {};
      for (int rank = 0; rank < p.peers.ranks; ++rank) {
        const Vector part = static_cast<const Vector*>(p.partial[rank])[i];
#pragma unroll
        for (int value = 0; value < width; ++value) {
          sums[value] += to_float(part.values[value], p.fp16);
        }
      }
      Vector result;
#pragma unroll
      for (int value = 0; value < width; ++value) {
        result.values[value] = from_float(sums[value], p.fp16);
      }
      static_cast<Vector*>(p.output)[i] = result;
    }
  }
}
