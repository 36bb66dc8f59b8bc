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

/// A launcher that returns what cuLaunchKernelEx returned rejects its config by a failure. cudaError_t has
/// the same values in its own type: return `static_cast<CUresult>(error)`.
template <>
struct launch_status<CUresult> {
  static std::optional<std::string> failure(const CUresult& code) {
    return code == CUDA_SUCCESS ? std::nullopt : std::optional(cuda_error_text(code));
  }
};

}  // namespace contextual
