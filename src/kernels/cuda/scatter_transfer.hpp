#pragma once

/// \file
/// How partial sums come to the rank that sums them: a tunable kernel of copies, without a result of its own.

#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/cuda.hpp>
#include <contextual/kernel.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <cstddef>
#include <string>

namespace contextual::kernels::cuda {

struct ReduceScatterConfig {
  /// "send": the copy engines send each chunk to its owner. "offer": the owner reads it where it was
  /// computed.
  std::string method = "send";
  int chunks = 4;  ///< of a shard, each with a flag and a count
  int lanes = 1;   ///< copies at a time
};

/// Where the partial sums of one call are, in each rank's part of the workspace: this rank's partial matrix
/// of all rows, and behind it a slot for own rows from each rank.
struct ScatterLayout {
  int m = 0;
  std::size_t row_bytes = 0;
  int ranks = 1;

  std::size_t row(int index) const noexcept { return static_cast<std::size_t>(index) * row_bytes; }
  std::size_t slot(int source) const noexcept {
    return row(m) + static_cast<std::size_t>(source) * row(RowPartition(m, ranks).rows_per_shard());
  }
  std::size_t bytes() const noexcept { return slot(ranks); }
};

/// One reduce-scatter, within a call of an object. The launcher notes what the GEMM and the sum need.
struct ScatterCall {
  PeerWorkspace::Parts* workspace = nullptr;
  ScatterLayout layout;
  int n = 0;
  int chunks = 1;                     ///< written by the launch
  bool owner_reads_partials = false;  ///< written by the launch
};

/// "cuda_reduce_scatter_transfer". Key: rows of the whole matrix, bytes of a row, ranks. A launch gives the
/// workspace's lanes their copies, each of which waits for the GEMM's count of its chunk. All lanes are
/// forked from the stream; the caller joins them.
using ReduceScatterTransfer = TunableKernel<void(const ReduceScatterConfig&, CUstream, ScatterCall*)>;
ReduceScatterTransfer& reduce_scatter_transfer();

}  // namespace contextual::kernels::cuda
