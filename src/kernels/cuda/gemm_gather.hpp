#pragma once

/// \file
/// The all-gather GEMM in one kernel: every block fetches the others' rows while it multiplies own ones.

#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/cuda.hpp>
#include <contextual/kernels/cuda/allgather_gemm.hpp>

#include <span>

namespace contextual::kernels::cuda {

/// One call of an object. Own rows are where they belong in the gathered matrix. The shape's m is the call's.
struct GemmGatherArgs {
  PeerWorkspace::Parts* workspace = nullptr;
  std::span<const GatheredProduct> products;
  AllGatherGemmShape shape;

  int columns() const noexcept;  ///< of all products
  bool gated() const noexcept { return products.front().gated; }
};

/// "cuda_allgather_gemm", or "cuda_allgather_gated_mlp" for a gated product. Key: bucket of m, n of all
/// products, k, type, ranks. A launch is a call on the workspace, from its begin to its end: it advances the
/// epoch.
using GemmGather = CudaKernel<GemmConfig, GemmGatherArgs>;
GemmGather& gemm_gather();
GemmGather& gated_gather();
ConfigSpace<GemmConfig> gemm_gather_space();
ConfigSpace<GemmConfig> gated_gather_space();

}  // namespace contextual::kernels::cuda
