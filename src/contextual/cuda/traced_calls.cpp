#include "contextual/cuda/traced_calls.hpp"

#include <cuda.h>

namespace contextual::cuda {
namespace {

// On the legacy default stream's terms, and on those of a default stream for each thread.
#define CONTEXTUAL_ASYNC_CALL(name) CUPTI_DRIVER_TRACE_CBID_##name, CUPTI_DRIVER_TRACE_CBID_##name##_ptsz
#define CONTEXTUAL_BLOCKING_CALL(name) CUPTI_DRIVER_TRACE_CBID_##name, CUPTI_DRIVER_TRACE_CBID_##name##_ptds

constexpr CUpti_driver_api_trace_cbid calls[] = {
    CONTEXTUAL_ASYNC_CALL(cuLaunchKernel),
    CONTEXTUAL_ASYNC_CALL(cuLaunchKernelEx),
    CONTEXTUAL_ASYNC_CALL(cuLaunchCooperativeKernel),
    CONTEXTUAL_ASYNC_CALL(cuGraphLaunch),
    CONTEXTUAL_ASYNC_CALL(cuMemcpyAsync),
    CONTEXTUAL_ASYNC_CALL(cuMemcpyDtoDAsync_v2),
    CONTEXTUAL_ASYNC_CALL(cuMemcpyHtoDAsync_v2),
    CONTEXTUAL_ASYNC_CALL(cuMemcpyDtoHAsync_v2),
    CONTEXTUAL_ASYNC_CALL(cuMemcpy2DAsync_v2),
    CONTEXTUAL_ASYNC_CALL(cuMemcpy3DAsync_v2),
    CONTEXTUAL_ASYNC_CALL(cuMemcpyPeerAsync),
    CONTEXTUAL_ASYNC_CALL(cuMemcpy3DPeerAsync),
    CONTEXTUAL_ASYNC_CALL(cuMemsetD8Async),
    CONTEXTUAL_ASYNC_CALL(cuMemsetD16Async),
    CONTEXTUAL_ASYNC_CALL(cuMemsetD32Async),
    CONTEXTUAL_ASYNC_CALL(cuMemsetD2D8Async),
    CONTEXTUAL_ASYNC_CALL(cuMemsetD2D16Async),
    CONTEXTUAL_ASYNC_CALL(cuMemsetD2D32Async),
#if CUDA_VERSION >= 13000
    CONTEXTUAL_ASYNC_CALL(cuMemcpyBatchAsync_v2),
    CONTEXTUAL_ASYNC_CALL(cuMemcpy3DBatchAsync_v2),
#endif
    CONTEXTUAL_BLOCKING_CALL(cuMemcpy),
    CONTEXTUAL_BLOCKING_CALL(cuMemcpyDtoD_v2),
    CONTEXTUAL_BLOCKING_CALL(cuMemcpyHtoD_v2),
    CONTEXTUAL_BLOCKING_CALL(cuMemcpyDtoH_v2),
    CONTEXTUAL_BLOCKING_CALL(cuMemcpyPeer),
    CONTEXTUAL_BLOCKING_CALL(cuMemsetD8_v2),
    CONTEXTUAL_BLOCKING_CALL(cuMemsetD32_v2),
};

}  // namespace

std::span<const CUpti_driver_api_trace_cbid> traced_calls() noexcept {
  return calls;
}

bool launches_kernel(CUpti_CallbackId id) noexcept {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return true;
    default:
      return false;
  }
}

CaptureCall capture_call(CUpti_CallbackId id) noexcept {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz:
      return CaptureCall::begins;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz:
      return CaptureCall::ends;
    default:
      return CaptureCall::none;
  }
}

}  // namespace contextual::cuda
