#include "contextual/cuda/timing/device_wait.hpp"

#include "contextual/cuda/api/driver.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/cuda/context_scope.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace contextual::cuda {
namespace {

/// For so long a wait only yields the core; what takes longer does not notice a late look.
constexpr std::chrono::milliseconds eager{1};
constexpr std::chrono::microseconds between_looks{50};

std::atomic<bool> captures_of_others{false};

void note_if_captured(CUresult code) noexcept {
  if (code >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && code <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD) {
    note_that_others_may_capture();
  }
}

}  // namespace

void RelaxedCaptures::exchange() noexcept {
  driver().cuThreadExchangeStreamCaptureMode(&mode_);
}

bool others_may_capture() noexcept {
  return captures_of_others.load(std::memory_order_relaxed);
}
void note_that_others_may_capture() noexcept {
  captures_of_others.store(true, std::memory_order_relaxed);
}
void forget_captures_of_others() noexcept {
  captures_of_others.store(false, std::memory_order_relaxed);
}

void check_of_context(CUresult code, const char* call) {
  note_if_captured(code);
  check(code, call);
}

bool default_stream_is_blocked(CUcontext context) {
  const detail::ContextScope scope(context);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver().cuStreamIsCapturing(nullptr, &status) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

bool is_captured(const DeviceWaiter::Stream& on) {
  return on.stream == nullptr ? default_stream_is_blocked(on.context) : stream_is_capturing(on.stream);
}

DeviceWaiter::~DeviceWaiter() {
  for (const Event& made : events_) {
    if (driver().cuCtxPushCurrent(made.context) == CUDA_SUCCESS) {  // else the event is gone with its context
      driver().cuEventDestroy(made.event);
      CUcontext popped = nullptr;
      driver().cuCtxPopCurrent(&popped);
    }
  }
}

void DeviceWaiter::wait(const std::vector<CUcontext>& contexts,
                        const std::function<std::vector<Stream>()>& streams, Deadline deadline) {
  const RelaxedCaptures relaxed;
  recorded_ = 0;
  if (!record_contexts(contexts) && streams) {
    record_streams(streams());
  }
  poll(std::move(deadline));
}

void DeviceWaiter::wait_for_streams(const std::vector<Stream>& streams, Deadline deadline) {
  const RelaxedCaptures relaxed;
  recorded_ = 0;
  record_streams(streams);
  poll(std::move(deadline));
}

/// Returns false where streams have to be waited for.
bool DeviceWaiter::record_contexts(const std::vector<CUcontext>& contexts) {
  if (driver().cuCtxRecordEvent == nullptr || others_may_capture() ||
      std::any_of(contexts.begin(), contexts.end(), default_stream_is_blocked)) {
    return false;
  }
  for (CUcontext context : contexts) {
    const CUresult code = driver().cuCtxRecordEvent(context, event(context));
    if (code != CUDA_SUCCESS && !cuda_context_lost(code)) {
      recorded_ = 0;
      note_if_captured(code);
      return false;
    }
    check(code, "cuCtxRecordEvent");
  }
  return true;
}

void DeviceWaiter::record_streams(const std::vector<Stream>& streams) {
  for (const Stream& on : streams) {
    if (!is_captured(on)) {
      const detail::ContextScope scope(on.context);
      CONTEXTUAL_CU(cuEventRecord(event(on.context), on.stream));
    }
  }
}

/// The next one to be recorded. Events are kept, since CUPTI keeps some memory for each that is made.
CUevent DeviceWaiter::event(CUcontext context) {
  const auto next = std::find_if(events_.begin() + static_cast<std::ptrdiff_t>(recorded_), events_.end(),
                                 [&](const Event& made) { return made.context == context; });
  if (next != events_.end()) {
    std::swap(*next, events_[recorded_]);
    return events_[recorded_++].event;
  }
  const detail::ContextScope scope(context);
  events_.reserve(events_.size() + 1);
  CUevent fresh = nullptr;
  CONTEXTUAL_CU(cuEventCreate(&fresh, CU_EVENT_DISABLE_TIMING));
  events_.push_back({context, fresh});
  std::swap(events_.back(), events_[recorded_]);
  return events_[recorded_++].event;
}

void DeviceWaiter::poll(Deadline deadline) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < recorded_; ++i) {
    CUresult code = driver().cuEventQuery(events_[i].event);
    while (code == CUDA_ERROR_NOT_READY) {
      if (deadline.expired()) {
        gave_up_ = true;
        throw Error(
            "the region's device work did not end before the deadline: a kernel waits for something that "
            "does not come, or the deadline is too short");
      }
      if (std::chrono::steady_clock::now() - begin < eager) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(between_looks);
      }
      code = driver().cuEventQuery(events_[i].event);
    }
    check(code, "cuEventQuery of a device's work");
  }
}

}  // namespace contextual::cuda
