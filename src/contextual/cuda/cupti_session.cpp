#include "contextual/cuda/cupti_session.hpp"

#include "contextual/cuda/cupti.hpp"

#include <contextual/cuda/error.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

namespace contextual::cuda {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;  // some thousand records
constexpr std::size_t buffer_alignment = 8;                 // CUPTI's demand
constexpr std::size_t most_calls = std::size_t{1} << 16;    // a batch; more are lost, and said so

/// Never KIND_KERNEL: it serialises kernels, and a region that spins on a flag would dead-lock.
constexpr std::array activities{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                CUPTI_ACTIVITY_KIND_MEMSET};

constexpr std::array kernel_calls{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};

constexpr std::array other_calls{
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync,        CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2,   CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DAsync_v2,   CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DAsync_v2_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyPeerAsync,    CUPTI_DRIVER_TRACE_CBID_cuMemcpyPeerAsync_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async,      CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD16Async,     CUPTI_DRIVER_TRACE_CBID_cuMemsetD16Async_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async,     CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD2D8Async,    CUPTI_DRIVER_TRACE_CBID_cuMemsetD2D8Async_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD2D32Async,   CUPTI_DRIVER_TRACE_CBID_cuMemsetD2D32Async_ptsz};

bool launches_kernel(CUpti_CallbackId id) noexcept {
  return std::find(kernel_calls.begin(), kernel_calls.end(), static_cast<CUpti_driver_api_trace_cbid>(id)) !=
         kernel_calls.end();
}

thread_local std::int64_t launch_of_thread = -1;

std::mutex life;  ///< of the one session
std::weak_ptr<CuptiSession> alive;
std::atomic<CuptiSession*> current{nullptr};  ///< for the buffer callbacks, which get no user data

}  // namespace

std::shared_ptr<CuptiSession> CuptiSession::acquire() {
  const std::lock_guard lock(life);
  std::shared_ptr<CuptiSession> session = alive.lock();
  if (!session) {
    session.reset(new CuptiSession);  // the constructor is private
    alive = session;
  }
  return session;
}

CuptiSession::CuptiSession() : calls_(most_calls) {
  const CUptiResult subscribed = cupti().cuptiSubscribe(&subscriber_, on_api, this);
  if (subscribed != CUPTI_SUCCESS) {
    const char* text = nullptr;
    cupti().cuptiGetResultString(subscribed, &text);
    throw CudaUnavailable("CUPTI cannot be subscribed to (a profiler or another tool may be attached): " +
                          std::string(text == nullptr ? std::to_string(subscribed) : text));
  }
  current.store(this);
  try {
    enable();
  } catch (const CudaError& error) {
    current.store(nullptr);
    cupti().cuptiUnsubscribe(subscriber_);
    throw CudaUnavailable(error.what());
  }
}

void CuptiSession::enable() {
  CONTEXTUAL_CUPTI(cuptiActivityRegisterCallbacks(on_buffer_requested, on_buffer_completed));
  for (const CUpti_ActivityKind kind : activities) {
    CONTEXTUAL_CUPTI(cuptiActivityEnable(kind));
  }
  for (const auto id : kernel_calls) {
    CONTEXTUAL_CUPTI(cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id));
  }
  for (const auto id : other_calls) {
    CONTEXTUAL_CUPTI(cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id));
  }
}

CuptiSession::~CuptiSession() {
  const Cupti& api = cupti();  // loaded, or this object would not be
  for (const CUpti_ActivityKind kind : activities) {
    api.cuptiActivityDisable(kind);
  }
  api.cuptiActivityFlushAll(1);
  api.cuptiUnsubscribe(subscriber_);
  api.cuptiFinalize();
  current.store(nullptr);
}

void CuptiSession::set_launch(std::int64_t launch) noexcept {
  launch_of_thread = launch;
}

/// On the thread that makes the API call, before it: no CUDA, no lock, no allocation.
void CUPTIAPI CuptiSession::on_api(void* user, CUpti_CallbackDomain /*domain*/, CUpti_CallbackId id,
                                   const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite != CUPTI_API_ENTER) {
    return;
  }
  auto& session = *static_cast<CuptiSession*>(user);
  std::uint32_t seen = session.last_correlation_.load(std::memory_order_relaxed);
  while (seen < call.correlationId && !session.last_correlation_.compare_exchange_weak(
                                          seen, call.correlationId, std::memory_order_relaxed)) {
  }
  if (launch_of_thread >= 0) {
    session.add_call(call.correlationId, launches_kernel(id), launch_of_thread);
  }
}

void CuptiSession::add_call(std::uint32_t correlation, bool kernel, std::int64_t launch) noexcept {
  const std::size_t place = call_count_.fetch_add(1, std::memory_order_acq_rel);
  if (place < calls_.size()) {
    calls_[place] = {correlation, kernel, launch};
  }
}

/// On a thread of CUPTI or of the application.
void CUPTIAPI CuptiSession::on_buffer_requested(std::uint8_t** buffer, std::size_t* size,
                                                std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *max_records = 0;  // as many as fit
}

/// As above; the buffer is ours again.
void CUPTIAPI CuptiSession::on_buffer_completed(CUcontext /*context*/, std::uint32_t /*stream*/,
                                                std::uint8_t* buffer, std::size_t /*size*/,
                                                std::size_t valid) {
  if (CuptiSession* session = current.load()) {
    try {
      session->read(buffer, valid);
    } catch (...) {
      const std::lock_guard lock(session->mutex_);
      session->lost_ = true;  // no memory for the records
    }
  }
  std::free(buffer);
}

void CuptiSession::read(std::uint8_t* buffer, std::size_t valid) {
  const std::lock_guard lock(mutex_);
  CUpti_Activity* activity = nullptr;
  while (cupti().cuptiActivityGetNextRecord(buffer, valid, &activity) == CUPTI_SUCCESS) {
    const auto add = [this](const auto& record, bool kernel) {
      records_.push_back({static_cast<std::int64_t>(record.start), static_cast<std::int64_t>(record.end),
                          static_cast<int>(record.deviceId), record.correlationId, kernel});
    };
    switch (activity->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        add(*reinterpret_cast<const CUpti_ActivityKernel10*>(activity), true);
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        add(*reinterpret_cast<const CUpti_ActivityMemcpy6*>(activity), false);
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        add(*reinterpret_cast<const CUpti_ActivityMemset4*>(activity), false);
        break;
      default:
        break;
    }
  }
}

CuptiSession::Taken CuptiSession::take() {
  CONTEXTUAL_CUPTI(cuptiActivityFlushAll(0));
  std::size_t dropped = 0;
  CONTEXTUAL_CUPTI(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped));
  Taken taken;
  const std::size_t count = call_count_.exchange(0, std::memory_order_acq_rel);
  taken.calls.assign(calls_.begin(),
                     calls_.begin() + static_cast<std::ptrdiff_t>(std::min(count, calls_.size())));
  const std::lock_guard lock(mutex_);
  taken.records = std::exchange(records_, {});
  taken.lost = std::exchange(lost_, false) || dropped > 0 || count > calls_.size();
  return taken;
}

}  // namespace contextual::cuda
