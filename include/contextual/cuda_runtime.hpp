#pragma once

/// \file
/// For kernels that nvcc compiles and `<<<>>>` launches: the status type of the CUDA runtime, and loading a
/// kernel ahead of its first launch. Includes cuda_runtime_api.h. Link contextual::cuda and the CUDA runtime
/// (CUDA::cudart; nvcc links it by default).

#include <contextual/cuda/error.hpp>
#include <contextual/cuda/timer.hpp>
#include <contextual/detail/cuda/local_memory.hpp>
#include <contextual/launch_status.hpp>

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

namespace contextual {

/// Returns e.g. "cudaErrorInvalidValue: invalid argument".
inline std::string cuda_error_text(cudaError_t code) {
  return std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code);
}

/// Returns true for the runtime's errors on a machine without a GPU or without a driver that this CUDA can
/// use. No config is then to blame for a launch that fails.
constexpr bool cuda_device_missing(cudaError_t code) noexcept {
  switch (code) {
    case cudaErrorStubLibrary:
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
      return true;
    default:
      return false;
  }
}

/// Lets a launcher end with `return cudaGetLastError();`: a failure rejects its config.
template <>
struct launch_status<cudaError_t> {
  /// Clears the error that an earlier call of the runtime left on this thread, because the launch would
  /// otherwise report it as its own.
  static std::optional<std::string> begin() {
    const cudaError_t code = cudaGetLastError();
    return code == cudaSuccess ? std::nullopt : std::optional(cuda_error_text(code));
  }
  static std::optional<std::string> failure(const cudaError_t& code) {
    return code == cudaSuccess ? std::nullopt : std::optional(cuda_error_text(code));
  }
  static std::optional<std::string> device_failure(const cudaError_t& code) {
    if (cuda_device_missing(code)) {
      return "there is no GPU that this process can use: " + cuda_error_text(code);
    }
    return cuda_context_lost(static_cast<CUresult>(code)) ? failure(code) : std::nullopt;
  }
};

/// Loads the code of a `__global__` function for the current device, and reserves the local memory of its
/// threads. The first launch would do both, and could wait for ever beside a kernel that waits for that
/// launch. Call it in `KernelOptions::load`. `function` is the address of the function on the host. Throws
/// CudaError, for example if the function was not compiled for this device, and ConfigRejected if there is
/// not enough memory.
inline void load_kernel(const void* function) {
  cudaFuncAttributes attributes{};
  const cudaError_t code = cudaFuncGetAttributes(&attributes, function);  // lazy loading loads here
  if (code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // the exception reports it; no later call should
    throw CudaError("loading a kernel failed: " + cuda_error_text(code), static_cast<int>(code));
  }
  detail::reserve_local_memory(attributes.localSizeBytes);
}

/// The same for a kernel by name, e.g. `load_kernel(scale<4>)`.
template <typename... Parameters>
void load_kernel(void (*kernel)(Parameters...)) {
  load_kernel(reinterpret_cast<const void*>(kernel));
}

/// An attribute of `cudaLaunchConfig_t`: how much of a multiprocessor's L1 cache shall be shared memory while
/// the kernel runs there, in percent. A kernel that uses none and stays long keeps out all that use some,
/// unless it is launched with 100.
inline cudaLaunchAttribute shared_memory_carveout(unsigned percent) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributePreferredSharedMemoryCarveout;
  attribute.val.sharedMemCarveout = percent;
  return attribute;
}

}  // namespace contextual
