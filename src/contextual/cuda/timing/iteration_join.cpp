#include "contextual/cuda/timing/iteration_join.hpp"

#include "contextual/cuda/api/driver.hpp"

#include <contextual/detail/cuda/context_scope.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

namespace contextual::cuda {
namespace {

bool joins_contexts(const Driver& api) {
  return api.cuCtxRecordEvent != nullptr && api.cuCtxWaitEvent != nullptr;
}

thread_local const IterationJoin* of_this_thread = nullptr;

}  // namespace

IterationJoin::IterationJoin() : by_streams_(!joins_contexts(driver())) {}

IterationJoin::~IterationJoin() {
  if (of_this_thread == this) {
    of_this_thread = nullptr;
  }
  const Driver& api = driver();
  for (const Event& made : events_) {
    if (api.cuCtxPushCurrent(made.context) == CUDA_SUCCESS) {  // else the event is gone with its context
      api.cuEventDestroy(made.event);
      CUcontext popped = nullptr;
      api.cuCtxPopCurrent(&popped);
    }
  }
}

void IterationJoin::set(Iterations iterations) noexcept {
  joins_ = iterations == Iterations::joined;
  by_streams_.store(joins_ && !joins_contexts(driver()), std::memory_order_relaxed);
}

void IterationJoin::begin_iteration() noexcept {
  of_this_thread = this;
  streams_.clear();  // the region may have destroyed one
  default_stream_used_.store(false, std::memory_order_relaxed);
}

bool IterationJoin::join(const UsedContexts& contexts, bool captures_open) noexcept {
  const bool captured = captured_.exchange(false, std::memory_order_relaxed) || captures_open;
  const bool by_streams = by_streams_.load(std::memory_order_relaxed) || others_may_capture();
  bool joined = false;
  left_before_ = std::exchange(left_, joins_ && captured);
  if (joins_ && !captured) {
    try {
      const std::vector<CUcontext> all = contexts.all();
      if (by_streams) {
        join_streams(all);
      } else {
        joined = join_contexts(all);
      }
    } catch (const std::exception& error) {
      failed(error.what());
    }
  }
  return joined;
}

/// Returns false if one of them has an open capture.
bool IterationJoin::join_contexts(const std::vector<CUcontext>& contexts) {
  for (CUcontext context : contexts) {
    if (default_stream_is_blocked(context)) {
      return false;
    }
  }
  for (CUcontext context : contexts) {
    check_of_context(driver().cuCtxRecordEvent(context, event(context, 0)), "cuCtxRecordEvent");
  }
  for (CUcontext waiting : contexts) {
    for (CUcontext context : contexts) {
      check_of_context(driver().cuCtxWaitEvent(waiting, event(context, 0)), "cuCtxWaitEvent");
    }
  }
  return true;
}

/// One stream waits for all others, and then they wait for it.
void IterationJoin::join_streams(const std::vector<CUcontext>& contexts) {
  const std::vector<Stream> all = streams(contexts);
  if (std::any_of(all.begin(), all.end(), is_captured)) {
    return;
  }
  std::vector<std::pair<Stream, CUevent>> recorded;
  std::map<CUcontext, std::size_t> events_used;
  for (const Stream& stream : all) {
    const detail::ContextScope scope(stream.context);
    recorded.emplace_back(stream, event(stream.context, events_used[stream.context]++));
    CONTEXTUAL_CU(cuEventRecord(recorded.back().second, stream.stream));
  }
  if (recorded.size() < 2) {
    return;
  }
  const auto [hub, hub_event] = recorded.front();
  {
    const detail::ContextScope scope(hub.context);
    for (std::size_t i = 1; i < recorded.size(); ++i) {
      CONTEXTUAL_CU(cuStreamWaitEvent(hub.stream, recorded[i].second, CU_EVENT_WAIT_DEFAULT));
    }
    CONTEXTUAL_CU(cuEventRecord(hub_event, hub.stream));
  }
  for (std::size_t i = 1; i < recorded.size(); ++i) {
    const detail::ContextScope scope(recorded[i].first.context);
    CONTEXTUAL_CU(cuStreamWaitEvent(recorded[i].first.stream, hub_event, CU_EVENT_WAIT_DEFAULT));
  }
}

std::vector<DeviceWaiter::Stream> IterationJoin::streams(const std::vector<CUcontext>& contexts) const {
  std::vector<Stream> all;
  if (!others_may_capture() || default_stream_used_.load(std::memory_order_relaxed)) {
    for (CUcontext context : contexts) {
      all.push_back({context, nullptr});
    }
  }
  for (CUstream stream : streams_.known()) {
    CUcontext context = nullptr;
    CONTEXTUAL_CU(cuStreamGetCtx(stream, &context));
    all.push_back({context, stream});
  }
  return all;
}

std::vector<DeviceWaiter::Stream> IterationJoin::streams_of_this_thread() {
  return of_this_thread == nullptr ? std::vector<Stream>() : of_this_thread->streams({});
}

/// The event of this context with this index; makes those that are missing.
CUevent IterationJoin::event(CUcontext context, std::size_t index) {
  std::size_t of_context = 0;
  for (const Event& made : events_) {
    if (made.context == context && of_context++ == index) {
      return made.event;
    }
  }
  const detail::ContextScope scope(context);
  CUevent fresh = nullptr;
  for (; of_context <= index; ++of_context) {
    events_.reserve(events_.size() + 1);
    CONTEXTUAL_CU(cuEventCreate(&fresh, CU_EVENT_DISABLE_TIMING));
    events_.push_back({context, fresh});
  }
  return fresh;
}

void IterationJoin::failed(const char* reason) noexcept {
  const bool by_streams = by_streams_.exchange(true, std::memory_order_relaxed);
  if (std::exchange(has_failed_, true)) {
    return;
  }
  try {
    warning_ =
        std::string(
            "the device work of successive tuning iterations could not be kept apart, so a "
            "makespan may hold work of the iteration before: ") +
        reason +
        (by_streams ? "" : ". From now on only streams that launches named and default streams are joined");
  } catch (const std::exception&) {
    warning_.clear();  // no memory for a warning
  }
}

void IterationJoin::tell(BatchConditions& conditions) {
  if (!warning_.empty()) {
    conditions.warnings.push_back(std::exchange(warning_, {}));
  }
}

}  // namespace contextual::cuda
