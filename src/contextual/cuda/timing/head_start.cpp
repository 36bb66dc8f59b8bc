#include "contextual/cuda/timing/head_start.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/timing/device_wait.hpp"

#include <contextual/detail/cuda/context_scope.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>

namespace contextual::cuda {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds longest = std::chrono::milliseconds(4);
constexpr int enough_waits = 3;  ///< a single one may be the host's scheduler

nanoseconds middle(std::vector<nanoseconds> values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

}  // namespace

nanoseconds head_start_for(std::span<const IterationCost> batch) {
  std::vector<nanoseconds> host;
  nanoseconds work = nanoseconds::max();
  for (const IterationCost& cost : batch) {
    host.push_back(cost.host * 5 / 4);  // it varies
    if (cost.device.count() > 0) {
      work = std::min(work, cost.device);  // if the device had to wait for the host, it is longer
    }
  }
  if (host.empty() || work == nanoseconds::max() || middle(host) > longest) {
    return {};
  }
  // A single first run tells of the batch of its config that follows.
  const auto others = static_cast<std::int64_t>(std::max(batch.size(), usual_batch)) - 1;
  const nanoseconds behind = others * std::max(nanoseconds{0}, middle(host) - work);
  return host.front() + std::min(longest, behind);
}

HeadStart::~HeadStart() {
  if (spin_ == nullptr || driver().cuCtxPushCurrent(context_) != CUDA_SUCCESS) {
    static_cast<void>(spin_.release());  // its context is gone, and what it had with it
    return;
  }
  driver().cuEventDestroy(event_);
  spin_.reset();
  CUcontext popped = nullptr;
  driver().cuCtxPopCurrent(&popped);
}

void HeadStart::begin_batch(const BatchStart& start, const UsedContexts& contexts,
                            bool captures_open) noexcept {
  start_ = start;
  given_ = false;
  if (!off_ && !captures_open && !others_may_capture() && start_.head_start.count() > 0 &&
      driver().cuCtxWaitEvent != nullptr) {
    try {
      launch(contexts);
    } catch (const std::exception&) {
      off_ = true;  // makespans are then what they are
    }
  }
}

void HeadStart::launch(const UsedContexts& contexts) {
  const std::vector<CUcontext> all = contexts.all();
  if (all.empty()) {
    return;
  }
  context_ = context_ == nullptr ? all.front() : context_;
  const detail::ContextScope scope(context_);
  if (spin_ == nullptr) {
    spin_ = std::make_unique<SpinRuns>(1);
    CONTEXTUAL_CU(cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING));
  }
  const Clock::time_point now = Clock::now();
  const nanoseconds left = std::min<nanoseconds>(longest, start_.met + start_.head_start - now);
  if (left.count() <= 0) {
    return;
  }
  spin_->launch(0, left);
  CONTEXTUAL_CU(cuEventRecord(event_, spin_->stream()));
  for (CUcontext context : all) {
    check_of_context(driver().cuCtxWaitEvent(context, event_), "cuCtxWaitEvent");
  }
  given_ = true;
  released_ = now + left;
}

void HeadStart::end_iteration() noexcept {
  const Clock::time_point now = Clock::now();
  if (host_.empty()) {
    first_end_ = now;
  }
  try {
    host_.push_back(now - begin_);
  } catch (const std::exception&) {
    off_ = true;  // no memory
  }
}

void HeadStart::settled(std::span<const IterationTiming> iterations) noexcept {
  try {
    judge(iterations);
  } catch (const std::exception&) {
    off_ = true;
    wanted_ = Timer::no_head_start;
  }
  host_.clear();
}

void HeadStart::judge(std::span<const IterationTiming> iterations) {
  if (given_) {
    const detail::ContextScope scope(context_);
    static_cast<void>(spin_->wait());
    waits_seen_ = first_end_ >= released_ ? waits_seen_ + 1 : 0;
    off_ = off_ || waits_seen_ == enough_waits;
    given_ = false;  // what is settled next may not be a batch
  }
  std::vector<IterationCost> costs;
  for (std::size_t i = 0; i < std::min(host_.size(), iterations.size()); ++i) {
    costs.push_back({host_[i], nanoseconds(iterations[i].makespan_ns)});
  }
  if (!costs.empty() && start_.met != Clock::time_point()) {
    costs.front().host = first_end_ - start_.met;
  }
  wanted_ = off_ ? Timer::no_head_start : head_start_for(costs);
}

}  // namespace contextual::cuda
