#include "contextual/cuda/buffers/gpu_buffers.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/buffers/buffer_context.hpp"
#include "contextual/cuda/buffers/comparison_kernel.hpp"
#include "contextual/cuda/cupti/active_contexts.hpp"
#include "contextual/cuda/timing/device_wait.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/cuda/context_scope.hpp>
#include <contextual/detail/measure/device_buffers.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace contextual::cuda {
namespace {

using detail::ContextScope;

std::byte* pointer_to(CUdeviceptr address) noexcept {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr): the driver's type
}

/// Frees what a context owns, unless that is gone, and so is its memory.
template <typename Free>
void free_in(CUcontext context, const Free& free) noexcept {
  if (driver_problem().empty() && driver().cuCtxPushCurrent(context) == CUDA_SUCCESS) {
    free();
    CUcontext popped = nullptr;
    driver().cuCtxPopCurrent(&popped);
  }
}

void wait_for_all() {
  if (driver_problem().empty()) {  // else a program that is linked to this part, on a machine without a GPU
    wait_for_contexts(active_contexts());
  }
}

void fill_buffer(void* data, unsigned char byte, std::size_t size_bytes) {
  const CUcontext context = context_of_buffer(data);
  const ContextScope current(context);
  wait_for_contexts({context});  // earlier work may still use it
  CUstream stream = own_stream_of(context);
  CONTEXTUAL_CU(cuMemsetD8Async(address_of(data), byte, size_bytes, stream));
  wait_for_own_stream(stream);
}

void copy_buffer(void* to, const void* from, std::size_t size_bytes) {
  const CUcontext context = context_of_buffer(is_device_memory(to) ? to : from);
  const ContextScope current(context);
  wait_for_contexts({context});
  CUstream stream = own_stream_of(context);
  CONTEXTUAL_CU(cuMemcpyAsync(address_of(to), address_of(from), size_bytes, stream));
  wait_for_own_stream(stream);
}

/// Two of each context, never destroyed, which only one thread uses at a time.
CUevent event_of(CUcontext context, std::size_t which) {
  static std::mutex mutex;
  static auto* const events = new std::map<std::pair<CUcontext, std::size_t>, CUevent>;
  const std::lock_guard lock(mutex);
  CUevent& event = (*events)[{context, which}];
  if (event == nullptr) {
    const ContextScope current(context);
    CONTEXTUAL_CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  }
  return event;
}

void copy_between_all(void* to, const void* from, std::size_t size_bytes) {
  const CUcontext own = context_of_buffer(to);
  std::vector<CUcontext> contexts = active_contexts();
  if (std::find(contexts.begin(), contexts.end(), own) == contexts.end()) {
    contexts.push_back(own);
  }
  const ContextScope current(own);
  CUstream stream = own_stream_of(own);
  constexpr std::size_t before = 0;
  constexpr std::size_t after = 1;
  for (CUcontext context : contexts) {
    check_of_context(driver().cuCtxRecordEvent(context, event_of(context, before)), "cuCtxRecordEvent");
    CONTEXTUAL_CU(cuStreamWaitEvent(stream, event_of(context, before), CU_EVENT_WAIT_DEFAULT));
  }
  CONTEXTUAL_CU(cuMemcpyAsync(address_of(to), address_of(from), size_bytes, stream));
  CONTEXTUAL_CU(cuEventRecord(event_of(own, after), stream));
  for (CUcontext context : contexts) {
    check_of_context(driver().cuCtxWaitEvent(context, event_of(own, after)), "cuCtxWaitEvent");
  }
}

void copy_in_order(void* to, const void* from, std::size_t size_bytes) {
  if (driver().cuCtxRecordEvent != nullptr && driver().cuCtxWaitEvent != nullptr && !others_may_capture()) {
    try {
      copy_between_all(to, from, size_bytes);
      return;
    } catch (const CudaError&) {  // a stream is capturing, or a context cannot do it: then by waiting
    }
  }
  wait_for_all();
  copy_buffer(to, from, size_bytes);
}

std::shared_ptr<std::byte> memory_beside(const void* data, std::size_t size_bytes) {
  CUcontext context = context_of_buffer(data);
  const ContextScope current(context);
  CUdeviceptr memory = 0;
  CONTEXTUAL_CU(cuMemAlloc(&memory, size_bytes));
  return {pointer_to(memory),
          [context, memory](std::byte*) { free_in(context, [memory] { driver().cuMemFree(memory); }); }};
}

std::shared_ptr<std::byte> host_memory(const void* data, std::size_t size_bytes) {
  CUcontext context = context_of_buffer(data);
  const ContextScope current(context);
  void* memory = nullptr;
  CONTEXTUAL_CU(cuMemHostAlloc(&memory, size_bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  return {static_cast<std::byte*>(memory),
          [context, memory](std::byte*) { free_in(context, [memory] { driver().cuMemFreeHost(memory); }); }};
}

std::shared_ptr<std::byte> memory_to_compare(const void* data, std::size_t size_bytes) {
  constexpr std::size_t least_shares = 8;
  const ContextScope current(context_of_buffer(data));
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  CONTEXTUAL_CU(cuMemGetInfo(&free_bytes, &all_bytes));
  if (size_bytes <= free_bytes / least_shares) {
    try {
      return memory_beside(data, size_bytes);
    } catch (const CudaError&) {  // another process has taken it meanwhile
    }
  }
  return host_memory(data, size_bytes);
}

detail::Differences compare_buffer(const void* data, const void* expected, std::size_t count,
                                   ElementType type, const detail::Tolerance& tolerance) {
  const CUcontext context = context_of_buffer(data);
  const ContextScope current(context);
  return compare_on_device(data, expected, count, type, tolerance, own_stream_of(context));
}

std::vector<detail::BlockSum> sums_of_buffer(const void* data, std::size_t count, ElementType type,
                                             std::size_t block_elements) {
  const CUcontext context = context_of_buffer(data);
  const ContextScope current(context);
  std::vector<detail::BlockSum> sums((count + block_elements - 1) / block_elements);
  const std::size_t bytes = sums.size() * sizeof(detail::BlockSum);
  const std::shared_ptr<std::byte> written = host_memory(data, bytes);
  auto* const first = reinterpret_cast<detail::BlockSum*>(written.get());
  sum_on_device(data, count, type, block_elements, first, own_stream_of(context));
  std::copy_n(first, sums.size(), sums.begin());
  return sums;
}

}  // namespace

void offer_gpu_buffers() noexcept {
  static constexpr detail::DeviceBuffers gpus{is_device_memory,  wait_for_all,   fill_buffer,
                                              copy_buffer,       copy_in_order,  memory_beside,
                                              memory_to_compare, compare_buffer, sums_of_buffer};
  detail::set_device_buffers(&gpus);
}

namespace {

/// A run with what is chosen copies buffers, too, and makes no timer.
[[maybe_unused]] const bool offered = (offer_gpu_buffers(), true);

}  // namespace

}  // namespace contextual::cuda
