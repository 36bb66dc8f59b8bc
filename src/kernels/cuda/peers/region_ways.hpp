#pragma once

/// \file
/// The choice between the two ways of computing a region across GPUs.

#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/alternatives.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/key.hpp>

#include <cuda.h>

namespace contextual::kernels::cuda {

/// `Call` is one call of the region: its workspace, its shape, and the number of `columns()` that it
/// computes.
template <typename Call>
using RegionWays = Alternatives<void(CUstream, const Call*)>;

/// A way of the region: launches the call on the stream.
template <typename Call>
using RegionWay = void (*)(CUstream&, const Call*&);

/// "overlapped", where the ranks can use each other's memory, and "separate", where they have NCCL, unless it
/// would give other bits than are asked for. Key: bucket of m, n, k, type, ranks, bits. The result is never
/// destroyed, since it may be launched while the process exits.
template <typename Call>
RegionWays<Call>& make_region_ways(const char* name, RegionWay<Call> overlapped, RegionWay<Call> separate) {
  const auto key = [](const CUstream&, const Call* const& call) {
    return make_key(bucket_of(call->shape.m), call->columns(), call->shape.k,
                    call->shape.type == GemmType::bf16 ? "bf16" : "fp16",
                    call->workspace->communicator->size(),
                    call->workspace->options.equal_bits ? "equal" : "any");
  };
  const auto may_be_separate = [](const CUstream&, const Call* const& call) {
    const PeerWorkspace::Parts& workspace = *call->workspace;
    return workspace.nccl.problem().empty() &&
           (!workspace.options.equal_bits || !workspace.memory.problem().empty());
  };
  return *new RegionWays<Call>(
      name, key,
      {{"overlapped", overlapped,
        [](const CUstream&, const Call* const& call) { return call->workspace->memory.problem().empty(); }},
       {"separate", separate, may_be_separate}},
      {"M_BUCKET", "N", "K", "TYPE", "RANKS", "BITS"});
}

/// The product of "separate": cuBLASLt's algorithm is tuned, unless equal bits are asked for. Throws
/// CudaError if the launch fails, and ConfigRejected if cuBLASLt has no algorithm for the shape.
void separate_gemm(const PeerWorkspace::Parts& workspace, CUstream stream, const GemmArgs& args);

}  // namespace contextual::kernels::cuda
