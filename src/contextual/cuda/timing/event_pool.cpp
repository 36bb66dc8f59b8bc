#include "contextual/cuda/timing/event_pool.hpp"

#include "contextual/cuda/api/driver.hpp"

namespace contextual::cuda {

EventPool::EventPool(CUcontext context, std::size_t pairs) : context_(context) {
  try {
    CONTEXTUAL_CU(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
    CONTEXTUAL_CU(cuEventCreate(&base_, CU_EVENT_DEFAULT));
    make(pairs);
  } catch (...) {
    destroy();
    throw;
  }
}

EventPool::~EventPool() {
  const Driver& api = driver();
  if (api.cuCtxPushCurrent(context_) != CUDA_SUCCESS) {
    return;  // the context, or the driver, is gone, and the events with it
  }
  destroy();
  CUcontext popped = nullptr;
  api.cuCtxPopCurrent(&popped);
}

void EventPool::destroy() noexcept {
  const Driver& api = driver();
  for (CUevent event : events_) {
    api.cuEventDestroy(event);
  }
  if (base_ != nullptr) {
    api.cuEventDestroy(base_);
  }
  if (stream_ != nullptr) {
    api.cuStreamDestroy(stream_);
  }
}

void EventPool::make(std::size_t pairs) {
  events_.reserve(2 * pairs);
  while (events_.size() < 2 * pairs) {
    CUevent event = nullptr;
    CONTEXTUAL_CU(cuEventCreate(&event, CU_EVENT_DEFAULT));
    events_.push_back(event);
  }
}

std::size_t EventPool::take() noexcept {
  const std::size_t pair = asked_.fetch_add(1, std::memory_order_relaxed);
  return 2 * pair + 1 < events_.size() ? pair : none;
}

void EventPool::record_base() noexcept {
  driver().cuEventRecord(base_, stream_);
}

}  // namespace contextual::cuda
