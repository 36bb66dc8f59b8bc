#pragma once

/// \file
/// A GEMM within a communication: its blocks of rows wait until their rows of A have arrived, and set flags
/// when their rows of C are done. It contains no tuning policy; kernels.hpp makes it a tunable kernel.

#include <contextual/export.hpp>
#include <contextual/kernels/host/gemm.hpp>
#include <contextual/kernels/host/row_flags.hpp>

#include <chrono>
#include <string>

namespace contextual::kernels {

/// One thread computes a block, and packs B for it. Small blocks start earlier; large blocks pack less.
struct FlaggedGemmConfig {
  int block_rows = 64;  ///< rows of A that a block waits for; a block never crosses shards
  int nr = 16;          ///< columns of a register tile: 16 or 32
  /// "own_first": the own shard, then those of the next ranks in a ring; "own_last": the next rank's shard
  /// first, the own last; "as_arrived": shards as they arrive, the own first.
  std::string order = "own_first";
  int threads = 1;

  bool operator==(const FlaggedGemmConfig&) const = default;
};

/// C = A B or C += A B. The m rows consist of `shards` shards of equal size, one per rank.
struct FlaggedGemmArgs {
  GemmArgs gemm;
  int shards = 1;
  int own_shard = 0;
  const RowFlags* waits_for = nullptr;       ///< flags of the rows of A; null if all are there
  RowFlags* sets = nullptr;                  ///< flags of the rows of C, to be set; may be null
  std::chrono::milliseconds budget{20'000};  ///< for all waits of a thread together
};

/// Returns when C is complete. Throws ConfigRejected for an unknown config, before C is touched;
/// InvalidArgument if the rows cannot be divided among the shards, or if flags have another number of rows;
/// and WaitFailed if the budget is used up while rows are missing, or if their producer failed. C is
/// incomplete then, and `sets` fails.
///
/// The order, the block size and the threads do not change the bits of the result.
CONTEXTUAL_API void flagged_gemm_compute(const FlaggedGemmConfig& config, const FlaggedGemmArgs& args,
                                         Isa isa = native_isa());

}  // namespace contextual::kernels
