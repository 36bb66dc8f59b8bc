#pragma once

/// \file
/// Gathers every rank's rows on all ranks, chunk by chunk, and sets flags for rows that have arrived, so that
/// other threads can compute with them. It contains no tuning policy; kernels.hpp makes it a tunable kernel.

#include <contextual/export.hpp>
#include <contextual/kernels/host/row_flags.hpp>

#include <mpi.h>

#include <chrono>

namespace contextual::kernels {

/// The config, which must be equal on all ranks, because it determines the messages.
struct AllGatherConfig {
  int chunk_rows = 64;  ///< rows per message; with small messages the consumer starts earlier
  int pause_us = 0;  ///< between two polls of the messages; 0 only yields the core, which is quick but takes
                     ///< time from a consumer on the same core

  bool operator==(const AllGatherConfig&) const = default;
};

/// Matrices are row-major without gaps. The rows of rank r become rows [r * rows, (r + 1) * rows) of `full`.
struct AllGatherArgs {
  MPI_Comm communicator = MPI_COMM_NULL;  ///< for this exchange alone, with MPI_ERRORS_RETURN
  const float* shard = nullptr;           ///< rows x cols, the rows of this rank
  float* full = nullptr;                  ///< (ranks * rows) x cols
  long rows = 0;                          ///< of a shard; the same on all ranks
  long cols = 0;
  RowFlags* flags = nullptr;                 ///< of the rows of `full`, to be set; may be null
  std::chrono::milliseconds budget{20'000};  ///< from the launch on, for all waits together
};

/// Returns when `full` is complete and `shard` has been read. Drives MPI's progress by polling, so give it a
/// thread of its own while others compute.
///
/// Throws ConfigRejected for an unknown config, before any message. Throws WaitFailed if the budget is used
/// up, and CommunicationError with MPI's text; `flags` fails then, and MPI may still write to `full` and read
/// `shard`, so keep both until the process ends.
CONTEXTUAL_API void all_gather_compute(const AllGatherConfig& config, const AllGatherArgs& args);

}  // namespace contextual::kernels
