#pragma once

/// \file
/// C = A * B^T on a Hopper GPU, in bf16 or fp16: a tunable kernel that may begin before all of A is there.

#include <contextual/cuda.hpp>

namespace contextual::kernels::cuda {

/// Of the values of A, B and C; sums are float.
enum class GemmType { bf16, fp16 };

/// C[m, n] = A[m, k] * B[n, k]^T; all row major and dense, on the current device.
///
/// m, n, k at least 1; n and k multiples of 8, pointers multiples of 16 bytes (what the copy engine asks
/// for): else a launch throws InvalidArgument.
///
/// With `ready_flags`, row r of A is not read before ready_flags[r / rows_per_flag] >= ready_value, which
/// whoever writes A publishes with release semantics at system scope (or by an operation that the stream
/// orders after the write, such as a copy). A block waits at most `wait_budget_ns` in all; then it writes 1
/// to `timed_out` (null: to nobody) and goes on with what is there, so that the kernel ends in any case.
struct GemmArgs {
  const void* a;
  const void* b;
  void* c;
  int m, n, k;
  GemmType type = GemmType::bf16;
  const unsigned* ready_flags = nullptr;  ///< null: A is complete
  unsigned ready_value = 1;
  int rows_per_flag = 0;                              ///< at least 1 where there are flags
  unsigned* timed_out = nullptr;                      ///< device memory; never set to 0
  unsigned long long wait_budget_ns = 2'000'000'000;  ///< by the device's global timer
};

/// Blocks are persistent: each computes one tile of C after the other. Sizes in elements of C.
struct GemmConfig {
  int block_m = 128;    ///< a tile's rows: 64, 128 or 256
  int block_n = 256;    ///< a tile's columns
  int stages = 4;       ///< pieces of A and B, 64 deep, that are loaded ahead
  int cluster = 2;      ///< blocks, one below the other, that load B once for all of them: 1 or 2
  int group = 8;        ///< width of a band of tiles, in tiles of a cluster; bands are taken one by one
  bool along_n = true;  ///< bands run along n: rows of A are needed from the first to the last; else along m
  int epilogue_n = 64;  ///< columns that leave through shared memory at once: 64 or 128
  int num_sms = 0;      ///< multiprocessors to occupy; 0: all
};

/// All tile shapes, with and without clusters, as many stages as fit; order, epilogue and number of
/// multiprocessors one at a time.
ConfigSpace<GemmConfig> gemm_space();

/// "cuda_gemm". Key: m, n, k, the type, and whether it waits. Configs whose tiles would be mostly outside of
/// C are left out.
using Gemm = CudaKernel<GemmConfig, GemmArgs>;

/// One of it lives as long as the process. Thread-safe.
Gemm& gemm();

/// What `gemm` is made of, for a kernel of another name or with another space.
Gemm::Definition gemm_definition();
Key gemm_key(const GemmArgs& args);

}  // namespace contextual::kernels::cuda
