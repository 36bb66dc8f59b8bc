#pragma once

/// \file
/// C = A * B^T on a Hopper GPU, in bf16 or fp16: a tunable kernel that may begin before A is complete.

#include <contextual/cuda.hpp>
#include <contextual/export.hpp>
#include <contextual/kernels/cuda/activation.hpp>

#include <vector>

namespace contextual::kernels::cuda {

/// The type of the values of A, B and C. Sums are float.
enum class GemmType { bf16, fp16 };

/// C[m, n] = activation(A[m, k] * B[n, k]^T + bias[n]); all row major, on the current device. There is no
/// alpha and no beta.
///
/// m, n and k are at least 1. The copy engine requires that n, k and pitches are multiples of 8 and that
/// pointers are multiples of 16 bytes; otherwise a launch throws InvalidArgument.
///
/// Rows belong to groups: row r to group r / rows_per_flag. If rows come in shards, groups are counted in
/// each shard anew: row r belongs to group r / rows_per_shard * flags_per_shard + r % rows_per_shard /
/// rows_per_flag.
///
/// With `ready_flags`, a row of A is not read before its group's flag is at least `ready_value`. The
/// writer of A sets the flag with release semantics at system scope, or by an operation that the stream
/// orders after the write, such as a copy. A block waits at most `wait_budget_ns` in total, and while
/// `timed_out` is 0. Every 50 us it reads `host_abort`; if that is not 0, it waits no more either. It then
/// writes to `timed_out` 1, or 2 if the host has ended the wait, and continues with A as it is, so that the
/// kernel always ends.
///
/// Tiles are computed from `first_row` on to the end of C and then from its begin, in bands as the config
/// says.
struct GemmArgs {
  const void* a;
  const void* b;
  void* c;
  int m, n, k;
  GemmType type = GemmType::bf16;
  const void* bias = nullptr;  ///< added to each row of the sums, of C's type; null for none
  Activation activation = Activation::none;
  int a_pitch = 0;                        ///< values from one row of A to the next, at least k; 0 for k
  int c_pitch = 0;                        ///< of C, at least n; 0 for n
  const unsigned* ready_flags = nullptr;  ///< null if A is complete
  unsigned ready_value = 1;
  int rows_per_flag = 0;                 ///< at least 1 if there are flags
  unsigned* timed_out = nullptr;         ///< device memory; null for nobody to tell; never set to 0
  const unsigned* host_abort = nullptr;  ///< the host's memory, mapped; null if the host never ends a wait
  unsigned long long wait_budget_ns = 2'000'000'000;  ///< by the device's global timer
  int rows_per_shard = 0;                             ///< 0 if all rows are one shard
  int flags_per_shard = 0;                            ///< with shards, enough for rows_per_shard
  int first_row = 0;                                  ///< in [0, m)
};

/// The config of the kernel. Blocks are persistent: each computes one tile of C after another. Sizes are in
/// elements.
struct GemmConfig {
  int block_m = 128;    ///< a tile's rows: 64, 128 or 256
  int block_n = 256;    ///< a tile's columns: 128, 160, 192, 224, 240 or 256; with 64 rows 128 or 256
  int stages = 4;       ///< pieces of A and B, 64 deep, that are loaded ahead
  int cluster = 2;      ///< blocks, one below the other, that share each load of B: 1 or 2
  int group = 8;        ///< width of a band of tiles, in tiles of a cluster; bands are computed one by one
  bool along_n = true;  ///< bands run along n, so rows of A are needed in order; else bands run along m
  int store_buffers =
      2;            ///< 64 x 64 pieces of C of each warpgroup that wait in shared memory to be stored: 1 to 4
  int num_sms = 0;  ///< multiprocessors to occupy; 0 for all, -8 for all but 8
  bool split_k = false;  ///< the two blocks of a cluster multiply one tile, each over half of k; only in
                         ///< GemmReduceScatter
};

/// All tile shapes, with and without clusters, with as many stages as fit. Order and number of
/// multiprocessors vary one at a time. The first of `num_sms` is the default's.
CONTEXTUAL_API ConfigSpace<GemmConfig> gemm_space(const std::vector<int>& num_sms = {0, 116, 108});

/// "cuda_gemm". Key: m, n, k, the type, and whether it waits. Configs whose tiles would be mostly outside of
/// C are left out.
using Gemm = CudaKernel<GemmConfig, GemmArgs>;

/// Returns the kernel, which lives as long as the process. Thread-safe.
CONTEXTUAL_API Gemm& gemm();

/// Returns the definition of `gemm`, for a kernel with another name or another config space.
CONTEXTUAL_API Gemm::Definition gemm_definition();
CONTEXTUAL_API Key gemm_key(const GemmArgs& args);

}  // namespace contextual::kernels::cuda
