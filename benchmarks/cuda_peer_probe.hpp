#pragma once

/// \file
/// The kernels and the parts of the probe of two GPUs that reach each other's memory.

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace contextual::benchmarks::probe {

// --- kernels: all are launched on the current device, and throw std::runtime_error if that fails

/// Loads all kernels on the current device, and allows them their shared memory.
void load_kernels();

// Each block of the three has a multiprocessor for itself. `to` may be a peer's memory.
/// Writes `bytes`, a multiple of a piece, in pieces of at most 32 KiB that the copy engine of the
/// multiprocessor takes from shared memory, four at a time.
void push_by_bulk(cudaStream_t stream, int blocks, int piece_bytes, std::byte* to, std::size_t bytes);
/// The same with boxes of `box_rows` times 64 values of 2 bytes of a matrix whose sizes they divide.
void push_by_boxes(cudaStream_t stream, int blocks, int box_rows, const CUtensorMap& to, int rows,
                   int columns);
/// Each thread stores 16 bytes at a time.
void push_by_stores(cudaStream_t stream, int blocks, std::byte* to, std::size_t bytes);

/// One side of a flag that goes back and forth.
struct PingPong {
  bool begins = false;
  unsigned* own_flag = nullptr;
  unsigned* peer_flag = nullptr;
  std::byte* peer_buffer = nullptr;
  int payload_bytes = 0;     ///< written by a bulk copy before each flag; at most 32 KiB
  unsigned first_value = 0;  ///< of the flags, which then grow by 1 a round
  int untimed_rounds = 0;
  int rounds = 0;                    ///< timed ones
  std::uint64_t budget_ns = 0;       ///< of the whole kernel, which then ends
  std::uint64_t* took_ns = nullptr;  ///< of the timed rounds; ~0 if the budget was too small
};
void play(cudaStream_t stream, const PingPong& side);

/// One thread that spins for so long.
void hold(cudaStream_t stream, std::uint64_t ns);

// 16 bytes a thread at a time, with two blocks of 1024 threads a multiprocessor.
void read_all(cudaStream_t stream, int multiprocessors, const std::byte* from, std::size_t bytes,
              unsigned* sink);
void write_all(cudaStream_t stream, int multiprocessors, std::byte* to, std::size_t bytes);
void copy_all(cudaStream_t stream, int multiprocessors, std::byte* to, const std::byte* from,
              std::size_t bytes);

// --- parts

/// The own GEMM on the current device, tuned, beside
/// cuBLASLt's best algorithm. Prints a table, and returns a row for each kind and shape MxNxK.
nlohmann::json measure_gemm(const std::vector<std::string>& shapes, int rounds);

}  // namespace contextual::benchmarks::probe
