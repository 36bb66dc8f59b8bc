#pragma once

/// \file
/// How the kernels check calls of the CUDA runtime and the driver.

#include <contextual/cuda_runtime.hpp>

#include <string>

namespace contextual::kernels::cuda {

/// Throws CudaError, with the call and the runtime's text, unless `code` is cudaSuccess; DeviceError if the
/// device no longer works for this process.
inline void check_cuda(cudaError_t code, const char* call) {
  if (code == cudaSuccess) [[likely]] {
    return;
  }
  static_cast<void>(cudaGetLastError());  // the exception reports it; no later call should
  const std::string text = std::string(call) + " failed: " + cuda_error_text(code);
  if (cuda_context_lost(static_cast<CUresult>(code))) {
    throw DeviceError(text);
  }
  throw CudaError(text, static_cast<int>(code));
}

inline void check_cuda(CUresult code, const char* call) {
  check_cuda(static_cast<cudaError_t>(code), call);  // they have the same values
}

}  // namespace contextual::kernels::cuda

/// Calls the CUDA runtime or the driver and throws as `check_cuda` does.
#define CONTEXTUAL_KERNELS_CUDA(call) ::contextual::kernels::cuda::check_cuda(call, #call)
