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

/// One reduce-scatter, within a call of an object. The launcher notes what the sum needs.
struct ScatterCall {
  PeerWorkspace::Parts* workspace = nullptr;
  ScatterLayout layout;
  int n = 0;
  int chunks = 1;                     ///< written by the launch
  bool owner_reads_partials = false;  ///< written by the launch
};

/// Chunks in which the GEMM counts what it has computed. It is launched before the transfer, whose chunks are
/// one or several of these.
inline RowPartition counted_chunks(const ScatterLayout& layout) {
  constexpr int most_transfer_chunks = 8;
  return {layout.m, layout.ranks, most_transfer_chunks};
}

/// "cuda_reduce_scatter_transfer". Key: rows of the whole matrix, bytes of a row, ranks. A launch gives the
/// workspace's lanes their copies, each of which waits for the GEMM's counts of its chunk. These waits are
/// not bounded, and streams may share a queue of the device: so the GEMM must have been launched before, and
/// the caller has forked all lanes before the GEMM. The caller joins them.
using ReduceScatterTransfer = TunableKernel<void(const ReduceScatterConfig&, CUstream, ScatterCall*)>;
ReduceScatterTransfer& reduce_scatter_transfer();

}  // namespace contextual::kernels::cuda
