#pragma once

/// \file
/// What a block of a GEMM needs.

#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/mma_gemm.hpp>
#include <contextual/resource_limits.hpp>

namespace contextual::kernels::cuda {

/// Of the Hopper GEMM. Returns the threads, one warpgroup that loads and stores and two that multiply, and
/// the shared memory as gemm.cu lays it out.
inline ResourceNeeds gemm_needs(const GemmConfig& config) {
  constexpr int block_threads = 384;
  constexpr int row_bytes = 128;
  constexpr int barrier_bytes = 16;      // two, of a stage or of a buffer
  constexpr int alignment_bytes = 1024;  // the swizzle repeats
  constexpr int consumers = 2;
  constexpr int store_bytes = 64 * row_bytes;
  constexpr int ticket_bytes = 512;  // and barriers, and scales that come, of kernels of several ranks
  const int shared_bytes = config.stages * ((config.block_m + config.block_n) * row_bytes + barrier_bytes) +
                           consumers * config.store_buffers * (store_bytes + barrier_bytes) +
                           alignment_bytes + ticket_bytes;
  return {.shared_bytes = shared_bytes, .threads = block_threads};
}

/// The same with the scales of blocks of each stage: those of rows, and two of columns in 16 bytes.
inline ResourceNeeds fp8_blocks_needs(const GemmConfig& config) {
  constexpr int scale_bytes = 4;
  const int all_bytes = config.stages * (config.block_m + 4) * scale_bytes;
  ResourceNeeds needs = gemm_needs(config);
  needs.shared_bytes += all_bytes;
  return needs;
}

/// The same where the scales of a piece of rows come in two blocks of k instead of one.
inline ResourceNeeds fp8_blocks_gather_needs(const GemmConfig& config) {
  constexpr int scale_bytes = 64 * 4;
  ResourceNeeds needs = fp8_blocks_needs(config);
  needs.shared_bytes += scale_bytes;
  return needs;
}

/// The same as mma_gemm.cu lays it out.
inline ResourceNeeds mma_gemm_needs(const MmaGemmConfig& config) {
  constexpr int value_bytes = 2;
  constexpr int warp_threads = 32;
  const int shared_bytes = config.stages * (config.block_m + config.block_n) * config.block_k * value_bytes;
  return {.shared_bytes = shared_bytes, .threads = config.warps_m * config.warps_n * warp_threads};
}

}  // namespace contextual::kernels::cuda
