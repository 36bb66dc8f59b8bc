#include "contextual/cuda/timing/device_wait.hpp"

#include "contextual/cuda/api/driver.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/cuda/context_scope.hpp>
#include <contextual/error.hpp>

#include <chrono>
#include <thread>
#include <utility>

namespace contextual::cuda {
namespace {

/// For so long a wait only yields the core; what takes longer does not notice a late look.
constexpr std::chrono::milliseconds eager{1};
constexpr std::chrono::microseconds between_looks{50};

/// Events of one wait.
class Events {
 public:
  Events() = default;
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() {
    for (const CUevent event : events_) {
      driver().cuEventDestroy(event);
    }
  }

  /// In the current context.
  CUevent make() {
    events_.reserve(events_.size() + 1);
    CUevent event = nullptr;
    CONTEXTUAL_CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    events_.push_back(event);
    return event;
  }

  void record_on(const DeviceWaiter::Stream& on) {
    if (is_captured(on)) {
      return;
    }
    const detail::ContextScope scope(on.context);
    CONTEXTUAL_CU(cuEventRecord(make(), on.stream));
  }

  /// Returns false if the deadline expires first.
  bool wait(Deadline& deadline) const {
    const auto begin = std::chrono::steady_clock::now();
    for (const CUevent event : events_) {
      CUresult code = driver().cuEventQuery(event);
      while (code == CUDA_ERROR_NOT_READY) {
        if (deadline.expired()) {
          return false;
        }
        if (std::chrono::steady_clock::now() - begin < eager) {
          std::this_thread::yield();
        } else {
          std::this_thread::sleep_for(between_looks);
        }
        code = driver().cuEventQuery(event);
      }
      check(code, "cuEventQuery of a device's work");
    }
    return true;
  }

 private:
  std::vector<CUevent> events_;
};

/// Returns false where streams have to be waited for.
bool record_contexts(const std::vector<CUcontext>& contexts, Events& events) {
  if (driver().cuCtxRecordEvent == nullptr) {
    return false;
  }
  for (CUcontext context : contexts) {
    if (default_stream_is_blocked(context)) {
      return false;
    }
  }
  for (CUcontext context : contexts) {
    const detail::ContextScope scope(context);
    const CUresult code = driver().cuCtxRecordEvent(context, events.make());
    if (code != CUDA_SUCCESS && !cuda_context_lost(code)) {
      return false;  // most likely a stream is capturing
    }
    check(code, "cuCtxRecordEvent");
  }
  return true;
}

}  // namespace

void RelaxedCaptures::exchange() noexcept {
  driver().cuThreadExchangeStreamCaptureMode(&mode_);
}

bool default_stream_is_blocked(CUcontext context) {
  const detail::ContextScope scope(context);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver().cuStreamIsCapturing(nullptr, &status) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

bool is_captured(const DeviceWaiter::Stream& on) {
  return on.stream == nullptr ? default_stream_is_blocked(on.context) : stream_is_capturing(on.stream);
}

void DeviceWaiter::wait(const std::vector<CUcontext>& contexts, const std::vector<Stream>& streams,
                        Deadline deadline) {
  const RelaxedCaptures relaxed;
  Events events;
  if (!record_contexts(contexts, events)) {
    return wait_for_streams(streams, std::move(deadline));
  }
  finish(events.wait(deadline));
}

void DeviceWaiter::wait_for_streams(const std::vector<Stream>& streams, Deadline deadline) {
  const RelaxedCaptures relaxed;
  Events events;
  for (const Stream& stream : streams) {
    events.record_on(stream);
  }
  finish(events.wait(deadline));
}

void DeviceWaiter::finish(bool in_time) {
  if (!in_time) {
    gave_up_ = true;
    throw Error(
        "the region's device work did not end before the deadline: a kernel waits for something that does "
        "not come, or the deadline is too short");
  }
}

}  // namespace contextual::cuda
