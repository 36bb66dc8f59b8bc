#pragma once

/// \file
/// Sums a matrix over all ranks and leaves each rank its share of the rows, chunk by chunk, as soon as rows
/// have been computed. It contains no tuning policy; kernels.hpp makes it a tunable kernel.

#include <contextual/export.hpp>
#include <contextual/kernels/host/row_flags.hpp>

#include <mpi.h>

#include <chrono>

namespace contextual::kernels {

/// The config, which must be equal on all ranks, because it determines the messages.
struct ReduceScatterConfig {
  int chunk_rows = 64;  ///< rows per message; small messages are sent while the producer still computes
  int pause_us = 0;     ///< between two polls of flags and messages; 0 only yields the core

  bool operator==(const ReduceScatterConfig&) const = default;
};

/// Matrices are row-major without gaps. `out` becomes the sum over all ranks of rows [rank * rows, (rank + 1)
/// * rows) of `partial`.
struct ReduceScatterArgs {
  MPI_Comm communicator = MPI_COMM_NULL;  ///< for this exchange alone, with MPI_ERRORS_RETURN
  const float* partial = nullptr;         ///< (ranks * rows) x cols, the addends of this rank
  float* workspace = nullptr;             ///< as large as `partial`; its contents do not matter
  float* out = nullptr;                   ///< rows x cols
  long rows = 0;                          ///< of a share; the same on all ranks
  long cols = 0;
  RowFlags* flags = nullptr;                 ///< of the rows of `partial`; null if all are there
  std::chrono::milliseconds budget{20'000};  ///< from the launch on, for all waits together
};

/// Returns when `out` is complete and `partial` has been read. Adds in the order of the ranks, so the bits of
/// the result depend neither on timing nor on the config.
///
/// Throws as `all_gather_compute` does, and WaitFailed also if the producer of `flags` failed. After an
/// exception, keep `workspace` until the process ends, too.
CONTEXTUAL_API void reduce_scatter_compute(const ReduceScatterConfig& config, const ReduceScatterArgs& args);

}  // namespace contextual::kernels
