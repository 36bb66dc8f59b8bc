#pragma once

/// \file
/// A GEMM in the middle of a communication: its blocks of rows wait until their rows of A have come, and say
/// when their rows of C are done. No tuning policy: kernels.hpp makes the tunable kernel of it.

#include "kernels/host/gemm.hpp"
#include "kernels/host/row_flags.hpp"

#include <chrono>
#include <string>

namespace contextual::kernels {

/// A block is computed by one thread, which packs B anew for it: small blocks start earlier, large ones pack
/// less.
struct FlaggedGemmConfig {
  int block_rows = 64;  ///< rows of A that a block waits for; a block never crosses shards
  int nr = 16;          ///< columns of a register tile: 16 or 32
  /// "own_first": own shard, then those of the next ranks, in a ring; "own_last": the next rank's shard
  /// first; "as_arrived": whatever is there, own shard first
  std::string order = "own_first";
  int threads = 1;

  bool operator==(const FlaggedGemmConfig&) const = default;
};

/// C = A B (or C += A B), whose m rows are `shards` shards of equal size, one a rank.
struct FlaggedGemmArgs {
  GemmArgs gemm;
  int shards = 1;
  int own_shard = 0;
  const RowFlags* waits_for = nullptr;       ///< rows of A that are there; null: all
  RowFlags* sets = nullptr;                  ///< gets the rows of C that are done; null: nobody asks
  std::chrono::milliseconds budget{20'000};  ///< of each thread, for all its waits together
};

/// Returns when C is complete. Throws ConfigRejected, before C is touched, for a config that it does not
/// have; InvalidArgument for rows that do not divide among the shards, or flags of other rows; WaitFailed
/// when the budget is used up and rows are missing, or when their producer failed. C is incomplete then, and
/// `sets` has failed.
///
/// Neither order, block size nor threads change the result's bits.
void flagged_gemm_compute(const FlaggedGemmConfig& config, const FlaggedGemmArgs& args,
                          Isa isa = native_isa());

}  // namespace contextual::kernels
