#pragma once

#include <cuda.h>
#include <cupti.h>

#include <array>
#include <cstdint>

namespace contextual::cuda {

/// The kinds of driver calls. The session watches all but `other`.
enum class CallKind : std::uint8_t {
  other,
  work,            ///< puts copies, fills or a graph on a device; leaves no record if there is nothing to do
  order,           ///< keeps no device busy: waits, words that a stream writes, events
  kernel,          ///< launches a kernel, so there must be a record of it
  capture_begins,  ///< begins to capture a stream into a graph
  capture_ends,
  host,    ///< puts nothing on a device; says that the thread is in CUDA
  marker,  ///< made by the session, touches no device; its correlation id exceeds those of earlier calls
};

/// The kind of each call, by CUpti_CallbackId. A single table, because every launch reads it.
inline constexpr auto call_kinds = [] {
  std::array<CallKind, CUPTI_DRIVER_TRACE_CBID_SIZE> kinds{};
// The variant for the legacy default stream, and the one for a default stream per thread.
#define CONTEXTUAL_ASYNC(kind, name)                      \
  kinds[CUPTI_DRIVER_TRACE_CBID_##name] = CallKind::kind; \
  kinds[CUPTI_DRIVER_TRACE_CBID_##name##_ptsz] = CallKind::kind
#define CONTEXTUAL_BLOCKING(kind, name)                   \
  kinds[CUPTI_DRIVER_TRACE_CBID_##name] = CallKind::kind; \
  kinds[CUPTI_DRIVER_TRACE_CBID_##name##_ptds] = CallKind::kind
  CONTEXTUAL_ASYNC(kernel, cuLaunchKernel);
  CONTEXTUAL_ASYNC(kernel, cuLaunchKernelEx);
  CONTEXTUAL_ASYNC(kernel, cuLaunchCooperativeKernel);
  CONTEXTUAL_ASYNC(work, cuGraphLaunch);
  CONTEXTUAL_ASYNC(work, cuMemcpyAsync);
  CONTEXTUAL_ASYNC(work, cuMemcpyDtoDAsync_v2);
  CONTEXTUAL_ASYNC(work, cuMemcpyHtoDAsync_v2);
  CONTEXTUAL_ASYNC(work, cuMemcpyDtoHAsync_v2);
  CONTEXTUAL_ASYNC(work, cuMemcpy2DAsync_v2);
  CONTEXTUAL_ASYNC(work, cuMemcpy3DAsync_v2);
  CONTEXTUAL_ASYNC(work, cuMemcpyPeerAsync);
  CONTEXTUAL_ASYNC(work, cuMemcpy3DPeerAsync);
  CONTEXTUAL_ASYNC(work, cuMemsetD8Async);
  CONTEXTUAL_ASYNC(work, cuMemsetD16Async);
  CONTEXTUAL_ASYNC(work, cuMemsetD32Async);
  CONTEXTUAL_ASYNC(work, cuMemsetD2D8Async);
  CONTEXTUAL_ASYNC(work, cuMemsetD2D16Async);
  CONTEXTUAL_ASYNC(work, cuMemsetD2D32Async);
#if CUDA_VERSION >= 13000
  CONTEXTUAL_ASYNC(work, cuMemcpyBatchAsync_v2);
  CONTEXTUAL_ASYNC(work, cuMemcpy3DBatchAsync_v2);
#endif
  CONTEXTUAL_BLOCKING(work, cuMemcpy);
  CONTEXTUAL_BLOCKING(work, cuMemcpyDtoD_v2);
  CONTEXTUAL_BLOCKING(work, cuMemcpyHtoD_v2);
  CONTEXTUAL_BLOCKING(work, cuMemcpyDtoH_v2);
  CONTEXTUAL_BLOCKING(work, cuMemcpyPeer);
  CONTEXTUAL_BLOCKING(work, cuMemsetD8_v2);
  CONTEXTUAL_BLOCKING(work, cuMemsetD32_v2);
  CONTEXTUAL_ASYNC(work, cuLaunchHostFunc);
  CONTEXTUAL_BLOCKING(work, cuMemcpy2D_v2);
  CONTEXTUAL_BLOCKING(work, cuMemcpy2DUnaligned_v2);
  CONTEXTUAL_BLOCKING(work, cuMemcpy3D_v2);
  CONTEXTUAL_BLOCKING(work, cuMemcpy3DPeer);
  CONTEXTUAL_BLOCKING(work, cuMemsetD16_v2);
  CONTEXTUAL_BLOCKING(work, cuMemsetD2D8_v2);
  CONTEXTUAL_BLOCKING(work, cuMemsetD2D16_v2);
  CONTEXTUAL_BLOCKING(work, cuMemsetD2D32_v2);
  CONTEXTUAL_ASYNC(order, cuStreamWriteValue32_v2);
  CONTEXTUAL_ASYNC(order, cuStreamWriteValue64_v2);
  CONTEXTUAL_ASYNC(order, cuStreamWaitValue32_v2);
  CONTEXTUAL_ASYNC(order, cuStreamWaitValue64_v2);
  CONTEXTUAL_ASYNC(order, cuStreamBatchMemOp_v2);
  CONTEXTUAL_ASYNC(order, cuStreamWaitEvent);
  CONTEXTUAL_ASYNC(order, cuEventRecord);
  CONTEXTUAL_ASYNC(order, cuEventRecordWithFlags);
  CONTEXTUAL_ASYNC(capture_begins, cuStreamBeginCapture);
  CONTEXTUAL_ASYNC(capture_begins, cuStreamBeginCapture_v2);
  CONTEXTUAL_ASYNC(capture_begins, cuStreamBeginCaptureToGraph);
  CONTEXTUAL_ASYNC(capture_ends, cuStreamEndCapture);
  CONTEXTUAL_ASYNC(host, cuStreamSynchronize);
  CONTEXTUAL_ASYNC(host, cuStreamQuery);
  CONTEXTUAL_ASYNC(host, cuMemAllocAsync);
  CONTEXTUAL_ASYNC(host, cuMemFreeAsync);
  CONTEXTUAL_ASYNC(host, cuGraphInstantiateWithParams);
  for (const CUpti_CallbackId id : {CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize,
                                    CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize,
                                    CUPTI_DRIVER_TRACE_CBID_cuEventQuery,
                                    CUPTI_DRIVER_TRACE_CBID_cuEventCreate,
                                    CUPTI_DRIVER_TRACE_CBID_cuEventDestroy_v2,
                                    CUPTI_DRIVER_TRACE_CBID_cuStreamCreate,
                                    CUPTI_DRIVER_TRACE_CBID_cuStreamCreateWithPriority,
                                    CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2,
                                    CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
                                    CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
                                    CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc,
                                    CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost,
                                    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
                                    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,
                                    CUPTI_DRIVER_TRACE_CBID_cuModuleUnload,
                                    CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,
                                    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate,
                                    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2,
                                    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
                                    CUPTI_DRIVER_TRACE_CBID_cuGraphDestroy,
                                    CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy,
                                    CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate}) {
    kinds[id] = CallKind::host;
  }
#undef CONTEXTUAL_ASYNC
#undef CONTEXTUAL_BLOCKING
  kinds[CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion] = CallKind::marker;
  return kinds;
}();

}  // namespace contextual::cuda
