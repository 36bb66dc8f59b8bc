#pragma once

/// \file
/// What the CUDA part throws, and how CUDA's statuses reject a config.

#include <contextual/error.hpp>
#include <contextual/export.hpp>
#include <contextual/launch_status.hpp>

#include <cuda.h>

#include <optional>
#include <string>

namespace contextual {

/// A call of the CUDA driver, of NVRTC or of CUPTI failed; the message has the call and the library's text.
class CONTEXTUAL_API CudaError : public Error {
 public:
  CudaError(const std::string& what, int code) : Error(what), code_(code) {}
  int code() const noexcept { return code_; }  ///< CUresult, nvrtcResult or CUptiResult

 private:
  int code_;
};

/// No driver, no device, or a library that is loaded at run time is missing. The message says which.
class CONTEXTUAL_API CudaUnavailable : public Error {
 public:
  using Error::Error;
};

/// Empty when kernels can be launched here; else why not, e.g. "no CUDA driver: ...". Initialises the driver,
/// creates no context. Never throws.
CONTEXTUAL_API std::string cuda_problem() noexcept;

/// "CUDA_ERROR_INVALID_VALUE: invalid argument".
CONTEXTUAL_API std::string cuda_error_text(CUresult code);

/// The error stays: after it every call in this context fails, whatever it does, so the process has to be
/// started anew. It comes from a kernel or the device, later than its cause. cudaError_t has the same values.
constexpr bool cuda_context_lost(CUresult code) noexcept {
  switch (code) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
      return true;
    default:
      return false;
  }
}

/// A launcher that returns what cuLaunchKernelEx returned rejects its config by a failure. For cudaError_t
/// include contextual/cuda_runtime.hpp.
template <>
struct launch_status<CUresult> {
  static std::optional<std::string> failure(const CUresult& code) {
    if (code == CUDA_SUCCESS) [[likely]] {
      return std::nullopt;
    }
    return cuda_error_text(code);
  }
  static std::optional<std::string> device_failure(const CUresult& code) {
    return code != CUDA_SUCCESS && cuda_context_lost(code) ? failure(code) : std::nullopt;
  }
};

}  // namespace contextual
