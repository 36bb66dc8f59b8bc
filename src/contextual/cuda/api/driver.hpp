#pragma once

/// \file
/// The CUDA driver as a table of functions, loaded at run time: a binary starts on a machine without a
/// driver, and tests put scripted functions in its place. This folder is the sole place that includes cuda.h,
/// nvrtc.h and cupti.h.

#include <cuda.h>

#include <string>

/// Every driver function the library calls. cuda.h expands the names to their current versions.
#define CONTEXTUAL_DRIVER_FUNCTIONS(X)           \
  X(cuInit)                                      \
  X(cuDriverGetVersion)                          \
  X(cuGetErrorName)                              \
  X(cuGetErrorString)                            \
  X(cuDeviceGetCount)                            \
  X(cuDeviceGet)                                 \
  X(cuDeviceGetAttribute)                        \
  X(cuDeviceGetPCIBusId)                         \
  X(cuDevicePrimaryCtxRetain)                    \
  X(cuDevicePrimaryCtxRelease)                   \
  X(cuDevicePrimaryCtxGetState)                  \
  X(cuCtxGetCurrent)                             \
  X(cuCtxGetDevice)                              \
  X(cuCtxPushCurrent)                            \
  X(cuCtxPopCurrent)                             \
  X(cuCtxSynchronize)                            \
  X(cuStreamCreate)                              \
  X(cuStreamDestroy)                             \
  X(cuStreamGetCtx)                              \
  X(cuStreamIsCapturing)                         \
  X(cuStreamQuery)                               \
  X(cuEventCreate)                               \
  X(cuEventDestroy)                              \
  X(cuEventRecord)                               \
  X(cuEventElapsedTime)                          \
  X(cuMemAlloc)                                  \
  X(cuMemFree)                                   \
  X(cuMemcpyDtoHAsync)                           \
  X(cuModuleGetLoadingMode)                      \
  X(cuModuleLoadData)                            \
  X(cuModuleUnload)                              \
  X(cuModuleGetFunction)                         \
  X(cuFuncGetAttribute)                          \
  X(cuFuncSetAttribute)                          \
  X(cuFuncLoad)                                  \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(cuOccupancyMaxActiveClusters)                \
  X(cuLaunchKernelEx)

namespace contextual::cuda {

/// One pointer a function, named as the current version of the function (cuEventDestroy_v2).
struct Driver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared
#define CONTEXTUAL_DRIVER_MEMBER(function) decltype(&::function) function = nullptr;
  CONTEXTUAL_DRIVER_FUNCTIONS(CONTEXTUAL_DRIVER_MEMBER)
#undef CONTEXTUAL_DRIVER_MEMBER
};

/// The driver of this process, initialised. Throws CudaUnavailable with the reason: no driver library, a
/// driver that is too old for a function, no device. Thread-safe; cheap after the first call.
const Driver& driver();

/// Why there is no driver; empty when there is one. Never throws.
std::string driver_problem() noexcept;

/// Puts another table in place of the driver's for as long as it lives: for tests. Not thread-safe.
class DriverReplacement {
 public:
  explicit DriverReplacement(const Driver& replacement);
  explicit DriverReplacement(Driver&&) = delete;  ///< the table must live as long
  DriverReplacement(const DriverReplacement&) = delete;
  DriverReplacement& operator=(const DriverReplacement&) = delete;
  ~DriverReplacement();

 private:
  const Driver* saved_;
};

/// Throws CudaError with the failing call and the driver's texts unless `code` is CUDA_SUCCESS; DeviceError
/// when it says that the context is lost.
void check(CUresult code, const char* call);

/// "CUDA_ERROR_INVALID_VALUE: invalid argument".
std::string error_text(CUresult code);

/// What is launched on this CUstream goes into a graph instead of to a device. False for null, and where the
/// driver does not know the stream. One driver call.
bool stream_is_capturing(void* stream) noexcept;

}  // namespace contextual::cuda

/// The one macro around the driver's calls: CONTEXTUAL_CU(cuEventRecord(event, stream)).
#define CONTEXTUAL_CU(call) ::contextual::cuda::check(::contextual::cuda::driver().call, #call)
