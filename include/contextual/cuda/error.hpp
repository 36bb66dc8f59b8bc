#pragma once

/// \file
/// The exceptions of the CUDA part, and how the driver's statuses reject a config.

#include <contextual/error.hpp>
#include <contextual/export.hpp>
#include <contextual/launch_status.hpp>

#include <cuda.h>

#include <optional>
#include <string>

namespace contextual {

/// A call of the CUDA driver, NVRTC or CUPTI failed. The message has the call and the library's error text.
class CONTEXTUAL_API CudaError : public Error {
 public:
  CudaError(const std::string& what, int code) : Error(what), code_(code) {}
  int code() const noexcept { return code_; }  ///< a CUresult, cudaError_t, nvrtcResult or CUptiResult

 private:
  int code_;
};

/// There is no CUDA driver or no device, or a library that is loaded at run time is missing or cannot be
/// used. The message says which.
class CONTEXTUAL_API CudaUnavailable : public Error {
 public:
  using Error::Error;
};

/// Returns why kernels cannot be launched here, e.g. "no CUDA driver: ...", or an empty text if they can be.
/// Initialises the driver but creates no context.
CONTEXTUAL_API std::string cuda_problem() noexcept;

/// Returns e.g. "CUDA_ERROR_INVALID_VALUE: invalid argument".
CONTEXTUAL_API std::string cuda_error_text(CUresult code);

/// Returns true for an error of a kernel or the device after which every call in the context fails, so that
/// the process has to be restarted. Such an error appears later than its cause. cudaError_t has the same
/// values.
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

/// Lets a launcher return the status of cuLaunchKernelEx: a failure rejects its config. For cudaError_t,
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
