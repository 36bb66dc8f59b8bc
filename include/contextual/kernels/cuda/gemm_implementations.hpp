#pragma once

/// \file
/// A GEMM with several implementations to choose from: cuBLASLt's algorithms and this library's kernels.

#include <contextual/alternatives.hpp>
#include <contextual/cuda.hpp>
#include <contextual/export.hpp>
#include <contextual/kernels/cuda/gemm.hpp>

namespace contextual::kernels::cuda {

/// "cuda_gemm_implementations": C[m, n] = A[m, k] B[n, k]^T. The alternatives are "cublaslt", which launches
/// `cublaslt_gemm()`; on a Hopper GPU "own", which launches `gemm()`; and, elsewhere or if m is at most 64,
/// "mma", which launches `mma_gemm()`. What these document holds here. The key is that of cublaslt_gemm.
/// "own" and "mma" are left out for sizes and alignments that they do not take. Throws CudaError if a launch
/// outside of tuning fails, and InvalidArgument for arguments with ready flags, a bias or an activation,
/// which the default, cuBLASLt, does not take.
using GemmImplementations = Alternatives<void(CUstream, GemmArgs)>;

/// Returns the choice, which lives as long as the process. Thread-safe.
CONTEXTUAL_API GemmImplementations& gemm_implementations();

/// Launches what is chosen on `stream`.
CONTEXTUAL_API void gemm_implementations(CUstream stream, const GemmArgs& args);

}  // namespace contextual::kernels::cuda
