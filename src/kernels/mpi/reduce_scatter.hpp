#pragma once

/// \file
/// Sums a matrix over all ranks and leaves every rank its share of the rows, chunk by chunk, as soon as they
/// have been computed. No tuning policy: kernels.hpp makes the tunable kernel of it.

#include "kernels/host/row_flags.hpp"

#include <mpi.h>

#include <chrono>

namespace contextual::kernels {

/// Must be the same on all ranks, since it says what the messages are.
struct ReduceScatterConfig {
  int chunk_rows = 64;  ///< rows of a message: small ones leave while the producer still computes
  int pause_us = 0;     ///< between two looks at flags and messages; 0 only yields the core

  bool operator==(const ReduceScatterConfig&) const = default;
};

/// Row-major without gaps. `out` becomes the sum over ranks of rows [rank rows, (rank + 1) rows) of
/// `partial`.
struct ReduceScatterArgs {
  MPI_Comm communicator = MPI_COMM_NULL;  ///< for this exchange alone, with MPI_ERRORS_RETURN
  const float* partial = nullptr;         ///< (ranks rows) x cols, this rank's addends
  float* workspace = nullptr;             ///< as large as `partial`; its contents do not matter
  float* out = nullptr;                   ///< rows x cols
  long rows = 0;                          ///< of a share; the same on all ranks
  long cols = 0;
  RowFlags* flags = nullptr;                 ///< rows of `partial` that are there; null: all
  std::chrono::milliseconds budget{20'000};  ///< from the launch on, for all waits together
};

/// Returns when `out` is complete and `partial` has been read. Adds in the order of the ranks, so the
/// result's bits depend on neither time nor config.
///
/// Throws as `all_gather_compute`, also when the producer of `flags` failed; `workspace` must be kept too
/// then.
void reduce_scatter_compute(const ReduceScatterConfig& config, const ReduceScatterArgs& args);

}  // namespace contextual::kernels
