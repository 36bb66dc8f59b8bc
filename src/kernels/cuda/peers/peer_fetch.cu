/// Fetches the other ranks' rows of a matrix through the links between the devices, chunk by chunk, with as many
/// multiprocessors as there are blocks. Compiled by NVRTC.

#include "peer_control.hpp"
#include "peer_words.cuh"

using namespace contextual::kernels::cuda;

namespace {

struct alignas(16) Vector {
  unsigned words[4];
};

constexpr int loads_in_flight = 8;  // of a thread: the way to another device and back takes about a microsecond

/// All blocks together.
__device__ void copy(Vector* to, const Vector* from, unsigned long long count) {
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  const unsigned long long thread = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned long long i = thread;
  for (; i + (loads_in_flight - 1) * threads < count; i += loads_in_flight * threads) {
    Vector values[loads_in_flight];
#pragma unroll
    for (int load = 0; load < loads_in_flight; ++load) {
      values[load] = from[i + load * threads];
    }
#pragma unroll
    for (int load = 0; load < loads_in_flight; ++load) {
      to[i + load * threads] = values[load];
    }
  }
  for (; i < count; i += threads) {
    to[i] = from[i];
  }
}

/// True in the block that is the last one to come here, which then sees what all others wrote before.
__device__ bool is_last_block(unsigned* count) {
  __syncthreads();
  unsigned before = 0;
  if (threadIdx.x == 0) {
    __threadfence();
    before = atomicAdd(count, 1);
    __threadfence();
  }
  return __syncthreads_or(threadIdx.x == 0 && before == gridDim.x - 1 ? 1 : 0) != 0;
}

}  // namespace

/// The chunks come from the ranks that follow this one, in their order.
extern "C" __global__ __launch_bounds__(512) void peer_fetch(const __grid_constant__ PeerFetch p) {
  PeerControl& own = *p.control[p.rank];
  auto* const to = static_cast<char*>(const_cast<void*>(p.gathered[p.rank]));
  for (int distance = 1; distance < p.ranks; ++distance) {
    const int source = (p.rank + distance) % p.ranks;
    const int shard_end = min((source + 1) * p.rows_per_shard, p.m);
    for (int chunk = 0; chunk < p.chunks; ++chunk) {
      const int begin = min(source * p.rows_per_shard + chunk * p.rows_per_chunk, shard_end);
      const int end = min(begin + p.rows_per_chunk, shard_end);
      const int flag = source * PeerControl::flags_per_rank + chunk;
      const unsigned long long first_byte = begin * p.row_bytes;
      copy(reinterpret_cast<Vector*>(to + first_byte),
           reinterpret_cast<const Vector*>(static_cast<const char*>(p.gathered[source]) + first_byte),
           (end - begin) * p.row_bytes / sizeof(Vector));
      if (is_last_block(&own.counts[flag]) && threadIdx.x == 0) {
        store_for_peers(&own.ready[flag], 1);
        if (chunk == p.chunks - 1) {  // the blocks come here in the order of the chunks
          store_for_peers(&p.control[source]->done[p.rank * PeerControl::most_lanes], 1);
        }
      }
    }
  }
}
