#pragma once

/// \file
/// cuBLASLt's GEMM as a tunable kernel whose configs are cuBLASLt's own algorithms for the problem.

#include "kernels/cuda/gemm.hpp"

#include <contextual/cuda.hpp>
#include <contextual/kernel.hpp>
#include <contextual/launch_status.hpp>

#include <cublasLt.h>

#include <optional>
#include <string>

namespace contextual {

template <>
struct launch_status<cublasStatus_t> {
  /// Takes away an error that an earlier call of the CUDA runtime left on this thread.
  static std::optional<std::string> begin();
  static std::optional<std::string> failure(const cublasStatus_t& status);
  /// cuBLASLt's status does not have the device's error: this asks the CUDA runtime.
  static std::optional<std::string> device_failure(const cublasStatus_t& status);
};

}  // namespace contextual

namespace contextual::kernels::cuda {

struct CublasLtConfig {
  int algorithm = 0;  ///< its rank in cublasLtMatmulAlgoGetHeuristic's list; 0: what cuBLASLt would choose
};

/// 12 ranks.
ConfigSpace<CublasLtConfig> cublaslt_space();

/// "cuda_cublaslt_gemm": C[m, n] = A[m, k] B[n, k]^T, row-major without gaps, float sums, in cuBLASLt of the
/// current device's primary context. Key: m, n, k, type, and what all pointers are aligned to (256 bytes at
/// most). Ranks that cuBLASLt does not have for a problem are left out; launched, they throw ConfigRejected,
/// as a problem that it does not take and one with ready flags, which it cannot wait for.
///
/// Handle and workspaces (4 of 32 MiB a device) are made by `preload` at the begin of a tuning run, else by
/// the first launch on the device, and its plan (descriptors and the list of algorithms, host memory only) by
/// a problem's first launch. The first 4 streams have a workspace each; launches on further ones, and on the
/// per-thread default stream, take theirs from the device's memory pool in stream order, where the algorithm
/// needs one. A captured launch keeps the workspace of the stream it was captured on.
///
/// Candidates' code is loaded by `prepare`. That of a problem's default is loaded by its first launch: call
/// `cublaslt_plan` before, if that launch may be beside a kernel that waits for it, or is captured.
using CublasLtGemm = TunableKernel<cublasStatus_t(const CublasLtConfig&, CUstream, GemmArgs)>;

/// One of it lives as long as the process. Thread-safe.
CublasLtGemm& cublaslt_gemm();

/// Launches it on `stream`. Throws CudaError when a launch outside of tuning fails.
void cublaslt_gemm(CUstream stream, const GemmArgs& args);

/// Makes everything that a launch with such arguments needs and loads the default's code, which takes a run
/// of it on scratch memory and a wait for that. Throws CudaError.
void cublaslt_plan(const GemmArgs& args);

/// How many algorithms cuBLASLt has for this problem, 12 at most; 0: it does not take it. Makes the plan.
int cublaslt_algorithm_count(const GemmArgs& args);

/// Loads one algorithm's code for every problem planned so far on the current device.
void cublaslt_prepare(int algorithm);

/// Launches one algorithm, for a kernel that has it among its own configs. Throws ConfigRejected as above.
cublasStatus_t cublaslt_launch(int algorithm, CUstream stream, const GemmArgs& args);

}  // namespace contextual::kernels::cuda
