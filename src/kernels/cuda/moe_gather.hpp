#pragma once

/// \file
/// The all-gather of a mixture of experts in one kernel.

#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/cuda.hpp>
#include <contextual/kernels/cuda/allgather_moe.hpp>
#include <contextual/kernels/cuda/grouped_gemm.hpp>

namespace contextual::kernels::cuda {

/// One call of an object. Own rows are where they belong in the gathered matrix. The shape's m is the call's.
struct MoeGatherArgs {
  PeerWorkspace::Parts* workspace = nullptr;
  AllGatherMoeShape shape;
  ExpertProduct product;
};

/// Returns the product of the gathered rows.
GroupedGemmArgs grouped_args(const MoeGatherArgs& args);

/// "cuda_allgather_moe", or "cuda_allgather_gated_moe" for a gated product. Key: bucket of m, n, k, experts,
/// top_k, type, ranks. A launch is a call on the workspace, from its begin to its end: it advances the epoch.
using MoeGather = CudaKernel<GemmConfig, MoeGatherArgs>;
MoeGather& moe_gather();
MoeGather& gated_moe_gather();

}  // namespace contextual::kernels::cuda
