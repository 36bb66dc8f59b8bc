#pragma once

/// \file
/// For kernels that nvcc compiled, launched by `<<<>>>`: the CUDA runtime's statuses, and loading a kernel
/// ahead of its first launch. Includes cuda_runtime_api.h; link contextual::cuda, and the runtime (nvcc does,
/// CUDA::cudart).

#include <contextual/cuda/error.hpp>
#include <contextual/cuda/timer.hpp>
#include <contextual/launch_status.hpp>

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

namespace contextual {

/// "cudaErrorInvalidValue: invalid argument".
inline std::string cuda_error_text(cudaError_t code) {
  return std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code);
}

/// For a launcher that ends with `return cudaGetLastError();`.
template <>
struct launch_status<cudaError_t> {
  /// Takes away an error that an earlier call of the runtime left on this thread, which the launch would
  /// report as its own.
  static std::optional<std::string> begin() {
    const cudaError_t code = cudaGetLastError();
    return code == cudaSuccess ? std::nullopt : std::optional(cuda_error_text(code));
  }
  static std::optional<std::string> failure(const cudaError_t& code) {
    return code == cudaSuccess ? std::nullopt : std::optional(cuda_error_text(code));
  }
  static std::optional<std::string> device_failure(const cudaError_t& code) {
    return cuda_context_lost(static_cast<CUresult>(code)) ? failure(code) : std::nullopt;
  }
};

/// Loads the code of a `__global__` function for the current device, now: with lazy loading (the default) its
/// first launch would, and could wait there for a kernel that waits for it. To be called in `prepare` and
/// `preload`. `function` is the function's address as the host knows it. Throws CudaError, e.g. when nothing
/// was compiled for this device.
inline void load_kernel(const void* function) {
  cudaFuncAttributes attributes{};
  const cudaError_t code = cudaFuncGetAttributes(&attributes, function);  // lazy loading loads here
  if (code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // it is told here, so nothing later is to be blamed for it
    throw CudaError("loading a kernel failed: " + cuda_error_text(code), static_cast<int>(code));
  }
}

/// `load_kernel(scale<4>)`, for a template's instance or a plain kernel.
template <typename... Parameters>
void load_kernel(void (*kernel)(Parameters...)) {
  load_kernel(reinterpret_cast<const void*>(kernel));
}

}  // namespace contextual
