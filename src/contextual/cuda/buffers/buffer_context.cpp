#include "contextual/cuda/buffers/buffer_context.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/timing/device_wait.hpp"
#include "contextual/cuda/timing/iteration_join.hpp"

#include <contextual/deadline.hpp>
#include <contextual/detail/cuda/context_scope.hpp>
#include <contextual/detail/sync/ongoing_run.hpp>

#include <map>
#include <mutex>
#include <thread>

namespace contextual::cuda {
namespace {

/// This thread's, never destroyed: another thread may wait meanwhile.
DeviceWaiter& waiter() {
  static std::mutex mutex;
  static auto* const waiters = new std::map<std::thread::id, DeviceWaiter>;
  const std::lock_guard lock(mutex);
  return (*waiters)[std::this_thread::get_id()];
}

Deadline deadline_of_run() {
  return Deadline::after(detail::OngoingRun::latest_bounds().deadline);
}

/// As long as the process, which may hold memory of the device as long.
CUcontext primary_context(int ordinal) {
  static std::mutex mutex;
  static auto* const retained = new std::map<int, CUcontext>;
  const std::lock_guard lock(mutex);
  CUcontext& context = (*retained)[ordinal];
  if (context == nullptr) {
    CUdevice device = 0;
    CONTEXTUAL_CU(cuDeviceGet(&device, ordinal));
    CONTEXTUAL_CU(cuDevicePrimaryCtxRetain(&context, device));
  }
  return context;
}

}  // namespace

bool is_device_memory(const void* data) noexcept {
  unsigned type = 0;
  return driver_problem().empty() &&
         driver().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address_of(data)) ==
             CUDA_SUCCESS &&
         type != CU_MEMORYTYPE_HOST;
}

CUcontext context_of_buffer(const void* data) {
  CUcontext context = nullptr;
  if (driver().cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, address_of(data)) ==
          CUDA_SUCCESS &&
      context != nullptr) {
    return context;
  }
  int ordinal = 0;
  CONTEXTUAL_CU(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address_of(data)));
  return primary_context(ordinal);
}

CUstream own_stream_of(CUcontext context) {
  static std::mutex mutex;
  static auto* const streams = new std::map<CUcontext, CUstream>;
  const std::lock_guard lock(mutex);
  CUstream& stream = (*streams)[context];
  if (stream == nullptr) {
    const detail::ContextScope current(context);
    CONTEXTUAL_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  }
  return stream;
}

void wait_for_contexts(const std::vector<CUcontext>& contexts) {
  const auto streams = [&] {
    std::vector<DeviceWaiter::Stream> all = IterationJoin::streams_of_this_thread();
    for (CUcontext context : contexts) {
      all.push_back({context, nullptr});
    }
    return all;
  };
  waiter().wait(contexts, streams, deadline_of_run());
}

void wait_for_own_stream(CUstream stream) {
  CUcontext context = nullptr;
  CONTEXTUAL_CU(cuCtxGetCurrent(&context));
  waiter().wait_for_streams({{context, stream}}, deadline_of_run());
}

}  // namespace contextual::cuda
