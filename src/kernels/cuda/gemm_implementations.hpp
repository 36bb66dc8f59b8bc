#pragma once

/// \file
/// A GEMM whose candidates are whole implementations: cuBLASLt's algorithms and the configs of this library's
/// kernel.

#include "kernels/cuda/gemm.hpp"

#include <contextual/cuda.hpp>
#include <contextual/kernel.hpp>

#include <string>

namespace contextual::kernels::cuda {

struct GemmImplementationConfig {
  std::string implementation = "cublaslt";  ///< or "own"
  std::string config = "{ALGORITHM: 0}";    ///< that implementation's config, for people
  int index = 0;                            ///< that implementation's config id

  bool own() const noexcept { return implementation == "own"; }
};

/// cuBLASLt's ranks 0 to 7, then all of `gemm_space()`.
ConfigSpace<GemmImplementationConfig> gemm_implementations_space();

/// "cuda_gemm_implementations": C[m, n] = A[m, k] B[n, k]^T. What `gemm` and `cublaslt_gemm` document about
/// preparation, workspaces and rejections holds for their configs here. The key is that of cublaslt_gemm. The
/// configs of `gemm` are left out for sizes and alignments that `gemm` does not take. Throws InvalidArgument
/// for arguments with ready flags, because the default, cuBLASLt, cannot wait for them.
using GemmImplementations = TunableKernel<CUresult(const GemmImplementationConfig&, CUstream, GemmArgs)>;

/// Returns the kernel, which lives as long as the process. Thread-safe.
GemmImplementations& gemm_implementations();

/// Launches the kernel on `stream`. Throws CudaError if a launch outside of tuning fails.
void gemm_implementations(CUstream stream, const GemmArgs& args);

}  // namespace contextual::kernels::cuda
