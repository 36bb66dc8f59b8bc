/// \file
/// The kernels of cuda_peer_probe. What spins ends by itself.

#include "cuda_peer_probe.hpp"
#include "kernels/cuda/hopper_ptx.cuh"
#include "kernels/cuda/peers/peer_words.cuh"

#include <stdexcept>
#include <string>

namespace contextual::benchmarks::probe {
namespace {

constexpr int push_threads = 128;
constexpr int wide_threads = 1024;
constexpr int pushes_at_a_time = 4;
constexpr int most_piece_bytes = 32 * 1024;
constexpr int alignment_bytes = 1024;  // a box's swizzle repeats
/// More than half of what a multiprocessor has.
constexpr int push_shared_bytes = pushes_at_a_time * most_piece_bytes + alignment_bytes;

__device__ void store_bulk(std::byte* to, unsigned from, int bytes) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
      "r"(from), "r"(bytes)
      : "memory");
}

/// Values for the copy engine, by the whole block; returns their address in shared memory.
__device__ unsigned fill(unsigned char* memory, int bytes) {
  const unsigned base = hopper::shared_address(memory);
  const unsigned skipped = (alignment_bytes - base % alignment_bytes) % alignment_bytes;
  for (unsigned i = threadIdx.x; i < bytes / sizeof(unsigned); i += blockDim.x) {
    reinterpret_cast<unsigned*>(memory + skipped)[i] = (blockIdx.x * 131071U + i) * 2654435761U;
  }
  hopper::fence_shared_writes();
  __syncthreads();
  return base + skipped;
}

/// Calls store(piece, address in shared memory) for the block's pieces, by one thread.
template <typename Store>
__device__ void push(int pieces, int piece_bytes, const Store& store) {
  extern __shared__ unsigned char memory[];
  const unsigned base = fill(memory, pushes_at_a_time * piece_bytes);
  if (threadIdx.x == 0) {
    int turn = 0;
    for (int piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
      hopper::wait_for_stores<pushes_at_a_time - 1>();
      store(piece, base + turn * piece_bytes);
      hopper::commit_stores();
      turn = (turn + 1) % pushes_at_a_time;
    }
    hopper::wait_for_writes();
  }
}

__global__ void __launch_bounds__(push_threads) bulk_kernel(std::byte* to, int pieces, int piece_bytes) {
  push(pieces, piece_bytes, [&](int piece, unsigned from) {
    store_bulk(to + static_cast<std::size_t>(piece) * piece_bytes, from, piece_bytes);
  });
}

__global__ void __launch_bounds__(push_threads)
    boxes_kernel(const __grid_constant__ CUtensorMap to, int pieces, int box_rows, int boxes_across) {
  constexpr int box_columns = 64;
  const TensorMap& map = reinterpret_cast<const TensorMap&>(to);
  push(pieces, box_rows * box_columns * 2, [&](int piece, unsigned from) {
    hopper::store_box(map, piece % boxes_across * box_columns, piece / boxes_across * box_rows, from);
  });
}

__global__ void __launch_bounds__(wide_threads) stores_kernel(uint4* to, std::size_t count) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll 8
  for (; i < count; i += step) {
    const auto value = static_cast<unsigned>(i);
    to[i] = make_uint4(value * 2654435761U, value, ~value, value * 40503U);
  }
}

/// False: the time is up.
__device__ bool wait_for_flag(const PingPong& p, unsigned value, unsigned long long begin) {
  constexpr int looks_per_read_of_clock = 64;
  for (int look = 1; static_cast<int>(load_from_peers(p.own_flag) - value) < 0; ++look) {
    if (look % looks_per_read_of_clock == 0 && now_ns() - begin > p.budget_ns) {
      return false;
    }
  }
  return true;
}

__device__ void send_flag(const PingPong& p, unsigned value, unsigned from) {
  if (p.payload_bytes > 0) {
    store_bulk(p.peer_buffer, from, p.payload_bytes);
    hopper::commit_stores();
    hopper::wait_for_writes();
    asm volatile("fence.proxy.async.global;" ::: "memory");
  }
  store_for_peers(p.peer_flag, value);
}

__global__ void __launch_bounds__(32) play_kernel(PingPong p) {
  extern __shared__ unsigned char memory[];
  const unsigned from = fill(memory, p.payload_bytes);
  if (threadIdx.x != 0) {
    return;
  }
  *p.took_ns = ~0ULL;
  const unsigned long long begin = now_ns();
  unsigned long long timed_begin = begin;
  for (int round = 0; round < p.untimed_rounds + p.rounds; ++round) {
    if (round == p.untimed_rounds) {
      timed_begin = now_ns();
    }
    const unsigned value = p.first_value + round;
    if (p.begins) {
      send_flag(p, value, from);
    }
    if (!wait_for_flag(p, value, begin)) {
      return;
    }
    if (!p.begins) {
      send_flag(p, value, from);
    }
  }
  *p.took_ns = now_ns() - timed_begin;
}

__global__ void hold_kernel(unsigned long long ns) {
  const unsigned long long begin = now_ns();
  while (now_ns() - begin < ns) {
  }
}

__global__ void __launch_bounds__(wide_threads)
    read_kernel(const uint4* from, std::size_t count, unsigned* sink) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  const auto add = [&](const uint4& value) { sum ^= value.x ^ value.y ^ value.z ^ value.w; };
  for (; i + 3 * step < count; i += 4 * step) {
    const uint4 values[] = {__ldcs(from + i), __ldcs(from + i + step), __ldcs(from + i + 2 * step),
                            __ldcs(from + i + 3 * step)};
    for (const uint4& value : values) {
      add(value);
    }
  }
  for (; i < count; i += step) {
    add(__ldcs(from + i));
  }
  if (sum == 0x9E3779B9U) {  // hardly ever, but the reads count
    *sink = sum;
  }
}

__global__ void __launch_bounds__(wide_threads)
    copy_kernel(uint4* __restrict__ to, const uint4* __restrict__ from, std::size_t count) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + 3 * step < count; i += 4 * step) {
    const uint4 values[] = {__ldcs(from + i), __ldcs(from + i + step), __ldcs(from + i + 2 * step),
                            __ldcs(from + i + 3 * step)};
    for (int j = 0; j < 4; ++j) {
      __stcs(to + i + j * step, values[j]);
    }
  }
  for (; i < count; i += step) {
    __stcs(to + i, __ldcs(from + i));
  }
}

void require(cudaError_t code, const char* what) {
  if (code != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
  }
}

template <typename Kernel>
void load(Kernel* kernel, int shared_bytes) {
  cudaFuncAttributes attributes{};
  require(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
          "cudaFuncSetAttribute");
}

constexpr int play_shared_bytes = most_piece_bytes + alignment_bytes;

}  // namespace

void load_kernels() {
  load(bulk_kernel, push_shared_bytes);
  load(boxes_kernel, push_shared_bytes);
  load(stores_kernel, push_shared_bytes);
  load(play_kernel, play_shared_bytes);
  load(hold_kernel, 0);
  load(read_kernel, 0);
  load(copy_kernel, 0);
}

void push_by_bulk(cudaStream_t stream, int blocks, int piece_bytes, std::byte* to, std::size_t bytes) {
  const auto pieces = static_cast<int>(bytes / static_cast<std::size_t>(piece_bytes));
  bulk_kernel<<<blocks, push_threads, push_shared_bytes, stream>>>(to, pieces, piece_bytes);
  require(cudaGetLastError(), "bulk_kernel");
}

void push_by_boxes(cudaStream_t stream, int blocks, int box_rows, const CUtensorMap& to, int rows,
                   int columns) {
  const int across = columns / 64;
  boxes_kernel<<<blocks, push_threads, push_shared_bytes, stream>>>(to, rows / box_rows * across, box_rows,
                                                                    across);
  require(cudaGetLastError(), "boxes_kernel");
}

void push_by_stores(cudaStream_t stream, int blocks, std::byte* to, std::size_t bytes) {
  stores_kernel<<<blocks, wide_threads, push_shared_bytes, stream>>>(reinterpret_cast<uint4*>(to),
                                                                     bytes / sizeof(uint4));
  require(cudaGetLastError(), "stores_kernel");
}

void play(cudaStream_t stream, const PingPong& side) {
  play_kernel<<<1, 32, play_shared_bytes, stream>>>(side);
  require(cudaGetLastError(), "play_kernel");
}

void hold(cudaStream_t stream, std::uint64_t ns) {
  hold_kernel<<<1, 1, 0, stream>>>(ns);
  require(cudaGetLastError(), "hold_kernel");
}

void read_all(cudaStream_t stream, int multiprocessors, const std::byte* from, std::size_t bytes,
              unsigned* sink) {
  read_kernel<<<2 * multiprocessors, wide_threads, 0, stream>>>(reinterpret_cast<const uint4*>(from),
                                                                bytes / sizeof(uint4), sink);
  require(cudaGetLastError(), "read_kernel");
}

void write_all(cudaStream_t stream, int multiprocessors, std::byte* to, std::size_t bytes) {
  stores_kernel<<<2 * multiprocessors, wide_threads, 0, stream>>>(reinterpret_cast<uint4*>(to),
                                                                  bytes / sizeof(uint4));
  require(cudaGetLastError(), "stores_kernel");
}

void copy_all(cudaStream_t stream, int multiprocessors, std::byte* to, const std::byte* from,
              std::size_t bytes) {
  copy_kernel<<<2 * multiprocessors, wide_threads, 0, stream>>>(
      reinterpret_cast<uint4*>(to), reinterpret_cast<const uint4*>(from), bytes / sizeof(uint4));
  require(cudaGetLastError(), "copy_kernel");
}

}  // namespace contextual::benchmarks::probe
