#pragma once

/// \file
/// cuBLASLt's GEMM as a tunable kernel whose configs are cuBLASLt's own algorithms for the problem.

#include <contextual/cuda.hpp>
#include <contextual/export.hpp>
#include <contextual/kernel.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/launch_status.hpp>

#include <cublasLt.h>

#include <optional>
#include <string>

namespace contextual {

template <>
struct CONTEXTUAL_API launch_status<cublasStatus_t> {
  /// Clears an error that an earlier call of the CUDA runtime left on this thread.
  static std::optional<std::string> begin();
  static std::optional<std::string> failure(const cublasStatus_t& status);
  /// Asks the CUDA runtime, because cuBLASLt's status does not contain the device's error.
  static std::optional<std::string> device_failure(const cublasStatus_t& status);
};

}  // namespace contextual

namespace contextual::kernels::cuda {

struct CublasLtConfig {
  int algorithm = 0;  ///< rank in cublasLtMatmulAlgoGetHeuristic's list; 0 is cuBLASLt's own choice
};

/// 12 ranks.
CONTEXTUAL_API ConfigSpace<CublasLtConfig> cublaslt_space();

/// "cuda_cublaslt_gemm": C[m, n] = A[m, k] B[n, k]^T by cuBLASLt, row-major, with float sums, in the current
/// device's primary context. Key: m, n, k, type, pitches of A and C, and the alignment of all pointers (256
/// bytes at most): the list of algorithms is that of one such problem.
///
/// A kept choice says what the algorithm is: its number, tile, stages, split of the sums, and so on. It is
/// found again by that, also in a list of another order, and a choice that is not found is not used. The
/// kernel's version is the build of cuBLASLt: with another one, nothing that was chosen counts.
///
/// Ranks that cuBLASLt does not have for a problem are left out. Launching one throws ConfigRejected; so does
/// a problem that cuBLASLt does not take, one with ready flags, for which cuBLASLt cannot wait, and one with
/// a bias or an activation.
///
/// The handle and the workspaces (4 of 32 MiB per device) are made by `load` at the begin of a tuning run,
/// else by the first launch on the device. A problem's plan (descriptors and the list of algorithms, in host
/// memory) is made by its first launch. The first 4 streams have a workspace each. A launch on another
/// stream, or on the per-thread default stream, takes one from the device's memory pool in stream order, if
/// the algorithm needs it. A captured launch keeps the workspace of the stream on which it was captured.
///
/// `load` loads the code of candidates, but the code of a problem's default is loaded by its first launch.
/// If that launch is captured, or may run beside a kernel that waits for it, call `cublaslt_plan` before.
using CublasLtGemm = TunableKernel<cublasStatus_t(const CublasLtConfig&, CUstream, GemmArgs)>;

/// Returns the kernel, which lives as long as the process. Thread-safe.
CONTEXTUAL_API CublasLtGemm& cublaslt_gemm();

/// Launches the kernel on `stream`. Throws CudaError if a launch outside of tuning fails.
CONTEXTUAL_API void cublaslt_gemm(CUstream stream, const GemmArgs& args);

/// Makes everything that a launch with such arguments needs, and loads the default's code by running it once
/// on scratch memory, for which it waits. Throws CudaError.
CONTEXTUAL_API void cublaslt_plan(const GemmArgs& args);

/// Returns the number of cuBLASLt's algorithms for this problem, 12 at most, or 0 if cuBLASLt does not take
/// it. Makes the plan.
CONTEXTUAL_API int cublaslt_algorithm_count(const GemmArgs& args);

/// Loads one algorithm's code for every problem planned so far on the current device.
CONTEXTUAL_API void cublaslt_prepare(int algorithm);

/// Launches one algorithm, for a kernel that has it among its configs. Throws ConfigRejected as above.
CONTEXTUAL_API cublasStatus_t cublaslt_launch(int algorithm, CUstream stream, const GemmArgs& args);

}  // namespace contextual::kernels::cuda
