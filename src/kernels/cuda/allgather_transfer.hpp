#pragma once

/// \file
/// How the rows of other ranks come to this one: a tunable kernel of copies, without a result of its own.

#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/cuda.hpp>
#include <contextual/kernel.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <cstddef>
#include <string>

namespace contextual::kernels::cuda {

/// A config of the transfer.
struct AllGatherConfig {
  /// "pull": the copy engines fetch the others' rows. "push": they send own rows. "fetch": a kernel fetches.
  std::string method = "pull";
  int chunks = 4;  ///< of a shard, each with a flag
  int lanes = 1;   ///< copies at a time
  int sms = 0;     ///< multiprocessors of "fetch"
};

/// One gather, within a call of an object. The launcher notes the chunks that it uses, for the GEMM that
/// waits for them.
struct GatherCall {
  PeerWorkspace::Parts* workspace = nullptr;
  int m = 0;
  std::size_t row_bytes = 0;  ///< a multiple of 16
  int chunks = 1;             ///< written by the launch
  int lanes_to_await = 0;     ///< written by the launch: how many lanes of each peer read this rank's rows
};

ConfigSpace<AllGatherConfig> allgather_space();

/// "cuda_allgather_transfer". Key: rows of the gathered matrix, bytes of a row, ranks. A launch begins the
/// copies on the workspace's lanes, behind what the stream has been given; the caller joins the lanes.
using AllGatherTransfer = TunableKernel<void(const AllGatherConfig&, CUstream, GatherCall*)>;
AllGatherTransfer& allgather_transfer();

}  // namespace contextual::kernels::cuda
