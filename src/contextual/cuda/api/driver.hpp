#pragma once

/// \file
/// The CUDA driver as a table of functions, loaded at run time. A program therefore starts on a machine
/// without a driver, and tests can replace the table by scripted functions.

#include <cuda.h>

#include <string>

/// Every driver function that the library needs. cuda.h expands the names to their current versions.
#define CONTEXTUAL_DRIVER_FUNCTIONS(X)           \
  X(cuInit)                                      \
  X(cuDriverGetVersion)                          \
  X(cuGetErrorName)                              \
  X(cuGetErrorString)                            \
  X(cuDeviceGetCount)                            \
  X(cuDeviceGet)                                 \
  X(cuDeviceGetAttribute)                        \
  X(cuDeviceGetName)                             \
  X(cuDeviceGetPCIBusId)                         \
  X(cuDeviceGetP2PAttribute)                     \
  X(cuDevicePrimaryCtxRetain)                    \
  X(cuDevicePrimaryCtxRelease)                   \
  X(cuDevicePrimaryCtxGetState)                  \
  X(cuCtxGetCurrent)                             \
  X(cuCtxGetDevice)                              \
  X(cuCtxGetLimit)                               \
  X(cuCtxSetLimit)                               \
  X(cuCtxPushCurrent)                            \
  X(cuCtxPopCurrent)                             \
  X(cuStreamCreate)                              \
  X(cuStreamDestroy)                             \
  X(cuStreamGetCtx)                              \
  X(cuStreamIsCapturing)                         \
  X(cuStreamQuery)                               \
  X(cuStreamWaitEvent)                           \
  X(cuThreadExchangeStreamCaptureMode)           \
  X(cuEventCreate)                               \
  X(cuEventDestroy)                              \
  X(cuEventQuery)                                \
  X(cuEventRecord)                               \
  X(cuEventElapsedTime)                          \
  X(cuMemAlloc)                                  \
  X(cuMemGetInfo)                                \
  X(cuMemFree)                                   \
  X(cuMemHostAlloc)                              \
  X(cuMemFreeHost)                               \
  X(cuMemcpyAsync)                               \
  X(cuMemcpyHtoDAsync)                           \
  X(cuMemcpyDtoHAsync)                           \
  X(cuMemsetD8Async)                             \
  X(cuPointerGetAttribute)                       \
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

/// One pointer per function, named by the current version of the function, e.g. cuEventDestroy_v2.
struct Driver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared
#define CONTEXTUAL_DRIVER_MEMBER(function) decltype(&::function) function = nullptr;
  CONTEXTUAL_DRIVER_FUNCTIONS(CONTEXTUAL_DRIVER_MEMBER)
#undef CONTEXTUAL_DRIVER_MEMBER

  // Of CUDA 12.5; null with an older driver. Declared here, because an older cuda.h does not have them.
  // NOLINTBEGIN(readability-identifier-naming): the driver's names
  CUresult (*cuCtxRecordEvent)(CUcontext, CUevent) = nullptr;
  CUresult (*cuCtxWaitEvent)(CUcontext, CUevent) = nullptr;
  // NOLINTEND(readability-identifier-naming)
};

/// Returns the initialised driver of this process. Throws CudaUnavailable with the reason: there is no driver
/// library, the driver is too old for a function, or there is no device. Thread-safe; cheap after the first
/// call.
const Driver& driver();

/// Returns why there is no driver, or an empty text if there is one.
std::string driver_problem() noexcept;

/// Replaces the driver's table by another one as long as this object lives, for tests. Not thread-safe.
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

/// Throws CudaError, with the failing call and the driver's text, unless `code` is CUDA_SUCCESS. Throws
/// DeviceError instead if the code says that the context is lost.
void check(CUresult code, const char* call);

/// Returns e.g. "CUDA_ERROR_INVALID_VALUE: invalid argument".
std::string error_text(CUresult code);

/// Returns true if launches on this CUstream go into a graph instead of to a device. Returns false for null
/// and for a stream that the driver does not know. Cost: one driver call.
bool stream_is_capturing(void* stream) noexcept;

}  // namespace contextual::cuda

/// Calls the driver and throws as `check` does: CONTEXTUAL_CU(cuEventRecord(event, stream)).
#define CONTEXTUAL_CU(call) ::contextual::cuda::check(::contextual::cuda::driver().call, #call)
