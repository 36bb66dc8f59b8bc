#include "contextual/cuda/event_pool.hpp"

#include "contextual/cuda/driver.hpp"

namespace contextual::cuda {

EventPool::EventPool(CUcontext context, std::size_t pairs) : context_(context) {
  CONTEXTUAL_CU(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
  CONTEXTUAL_CU(cuEventCreate(&base_, CU_EVENT_DEFAULT));
  make(pairs);
}

EventPool::~EventPool() {
  const Driver& api = driver();
  if (api.cuCtxPushCurrent(context_) != CUDA_SUCCESS) {
    return;  // the context, or the driver, is gone, and the events with it
  }
  for (CUevent event : events_) {
    api.cuEventDestroy(event);
  }
  api.cuEventDestroy(base_);
  api.cuStreamDestroy(stream_);
  CUcontext popped = nullptr;
  api.cuCtxPopCurrent(&popped);
}

void EventPool::make(std::size_t pairs) {
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

void EventPool::start_over() {
  make(asked_.exchange(0));
}

}  // namespace contextual::cuda
