#pragma once

/// \file
/// Gathers every rank's rows on all ranks, chunk by chunk, and says which rows have arrived: somebody
/// computes with them meanwhile. No tuning policy: kernels.hpp makes the tunable kernel of it.

#include "kernels/host/row_flags.hpp"

#include <mpi.h>

#include <chrono>

namespace contextual::kernels {

/// Must be the same on all ranks, since it says what the messages are.
struct AllGatherConfig {
  int chunk_rows = 64;  ///< rows of a message: small ones let the consumer start earlier
  int pause_us = 0;     ///< between two looks at the messages; 0 only yields the core: quick, but takes time
                        ///< from a consumer on the same core

  bool operator==(const AllGatherConfig&) const = default;
};

/// Row-major without gaps. Rank r's rows become rows [r rows, (r + 1) rows) of `full`.
struct AllGatherArgs {
  MPI_Comm communicator = MPI_COMM_NULL;  ///< for this exchange alone, with MPI_ERRORS_RETURN
  const float* shard = nullptr;           ///< rows x cols, this rank's
  float* full = nullptr;                  ///< (ranks rows) x cols
  long rows = 0;                          ///< of a shard; the same on all ranks
  long cols = 0;
  RowFlags* flags = nullptr;                 ///< of `full`; null: nobody asks
  std::chrono::milliseconds budget{20'000};  ///< from the launch on, for all waits together
};

/// Returns when `full` is complete and `shard` has been read. Drives MPI's progress by polling, so it has a
/// thread of its own while others compute.
///
/// Throws ConfigRejected, before any message, for a config that it does not have; WaitFailed when the budget
/// is used up; CommunicationError with MPI's text. `flags` has failed then, and MPI may still write to `full`
/// and read `shard`: keep both until the process ends.
void all_gather_compute(const AllGatherConfig& config, const AllGatherArgs& args);

}  // namespace contextual::kernels
