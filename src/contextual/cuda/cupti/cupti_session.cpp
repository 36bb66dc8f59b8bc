#include "contextual/cuda/cupti/cupti_session.hpp"

#include "contextual/cuda/api/cupti.hpp"
#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/cupti/active_contexts.hpp"
#include "contextual/cuda/kernel/local_memory.hpp"
#include "contextual/cuda/timing/device_wait.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/sync/blocked_process.hpp>
#include <contextual/detail/sync/bounded_call.hpp>
#include <contextual/detail/sync/ongoing_run.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <utility>

namespace contextual::cuda {
namespace {

constexpr std::size_t first_calls = std::size_t{1} << 14;    // of a batch; grows where that is too few
constexpr std::size_t first_records = std::size_t{1} << 14;  // likewise
/// For what a region has just been waited for; a kernel that is there later is somebody else's.
constexpr std::chrono::seconds patience_at_the_end{1};

/// Never KIND_KERNEL: it serialises kernels, and a region that spins on a flag would dead-lock. (It is on for
/// an instant where others_record_kernels asks, between runs.) MEMCPY2 are copies between devices.
constexpr std::array activities{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};

// Initial-exec: one load relative to the thread pointer. The library is small enough for the static TLS
// reserve when it is loaded by dlopen.
constinit thread_local std::int64_t launch_of_thread __attribute__((tls_model("initial-exec"))) = -1;
thread_local std::uint32_t marked_by_thread = 0;  ///< correlation id of its last marker call

std::mutex life;      ///< of the next two; held for an instant only, never while CUPTI is called
bool in_use = false;  ///< a session exists or is being made, or CUPTI is being detached
std::atomic<bool> attached = false;  ///< by the one who has it `in_use`, or had it last
int detachments = 0;                 ///< by sessions that ended
bool said_that_it_stays = false;
std::atomic<CuptiSession*> current{nullptr};  ///< for the buffer callbacks, which get no user data

/// Holds a session that was left open. Never destroyed: nothing of CUPTI is called while the process exits.
std::shared_ptr<CuptiSession>& left_open() {
  static auto* const session = new std::shared_ptr<CuptiSession>;
  return *session;
}

/// CUPTI has one list of what is recorded for the whole process. Kernels that are recorded one by one do not
/// go together with kernels that are recorded concurrently, and CUPTI says so without changing anything. To
/// be asked while this library records nothing. An application that has them recorded one by one is not
/// found: it cannot be told from none.
bool others_record_kernels() noexcept {
  if (cupti().cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL) == CUPTI_ERROR_NOT_COMPATIBLE) {
    return true;
  }
  cupti().cuptiActivityDisable(CUPTI_ACTIVITY_KIND_KERNEL);
  return false;
}

/// CUPTI need not zero them then inside the launches that ask for one. Where it does not know the attribute
/// it does so all the same.
void promise_zeroed_buffers(bool zeroed) noexcept {
  std::uint8_t value = zeroed ? 1 : 0;
  std::size_t size = sizeof value;
  cupti().cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &value);
}

}  // namespace

/// CUPTI, taken by one user. Whoever lets go of it last gives it back.
class CuptiSession::Subscription {
 public:
  Subscription() {
    const std::lock_guard lock(life);
    if (in_use) {
      throw CudaUnavailable("CUPTI is in use: another run of this process is timed by it, or it is detached");
    }
    in_use = true;
  }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;
  ~Subscription() {
    unsubscribe();
    const std::lock_guard lock(life);
    in_use = false;
  }

  void subscribe() noexcept {
    result_ = cupti().cuptiSubscribe(&handle_, on_api, &the_seen());
    attached_by_this_ = result_ == CUPTI_SUCCESS && !attached.exchange(true);
  }
  /// The application had attached CUPTI before, which is not to be detached.
  void was_attached() noexcept { attached = attached && !attached_by_this_; }
  void unsubscribe() noexcept {
    if (result_ == CUPTI_SUCCESS) {
      cupti().cuptiUnsubscribe(handle_);
      result_ = CUPTI_ERROR_UNKNOWN;
    }
  }
  CUptiResult result() const noexcept { return result_; }
  CUpti_SubscriberHandle handle() const noexcept { return handle_; }

 private:
  CUpti_SubscriberHandle handle_ = nullptr;
  CUptiResult result_ = CUPTI_ERROR_UNKNOWN;
  bool attached_by_this_ = false;
};

namespace {

std::chrono::milliseconds patience_at_the_begin() {
  return detail::OngoingRun::latest_bounds().deadline / 2;  // before the watchdog
}

[[noreturn]] void throw_late() {
  throw CudaUnavailable(
      "a kernel runs in this process, for which CUPTI waits when it is attached, and did not "
      "end within half of the deadline");
}

/// As far as it can be known. Whether a stream of another thread is capturing cannot, and a wait for a whole
/// context would invalidate its capture; so only the default streams are waited for, which wait for all
/// streams but those that are declared non-blocking.
void wait_for_default_streams() {
  std::vector<DeviceWaiter::Stream> streams;
  for (CUcontext context : active_contexts()) {
    streams.push_back({context, nullptr});
  }
  DeviceWaiter waiter;
  try {
    waiter.wait_for_streams(streams, Deadline::after(patience_at_the_begin()));
  } catch (const CudaError&) {
    return;  // the region's, or the canary's, to tell
  } catch (const Error&) {
    if (!waiter.gave_up()) {
      throw;
    }
    throw_late();
  }
}

}  // namespace

std::shared_ptr<CuptiSession> CuptiSession::acquire() {
  std::shared_ptr<CuptiSession> session;
  {
    const std::lock_guard lock(life);
    session = std::move(left_open());
  }
  if (!session) {
    auto subscription = std::make_shared<Subscription>();
    cupti();  // loaded, or it throws
    if (attached) {
      subscription->subscribe();
    } else {
      attach(subscription);
    }
    session.reset(new CuptiSession(std::move(subscription)));  // the constructor is private
  }
  session->seen_.home.store(&marked_by_thread, std::memory_order_relaxed);
  return session;
}

/// On a thread of its own, which has the subscription for itself where that comes late.
void CuptiSession::attach(const std::shared_ptr<Subscription>& subscription) {
  wait_for_default_streams();
  Deadline deadline = Deadline::after(patience_at_the_begin());
  if (!sync::bounded_call([subscription] { subscription->subscribe(); }, deadline)) {
    throw_late();
  }
}

void CuptiSession::leave_open(std::shared_ptr<CuptiSession> session) noexcept {
  const std::lock_guard lock(life);
  left_open() = std::move(session);
}

CuptiSession::CuptiSession(std::shared_ptr<Subscription> subscription)
    : subscription_(std::move(subscription)), seen_(the_seen()) {
  seen_.forget();
  records_.reserve(first_records);
  if (const CUptiResult subscribed = subscription_->result(); subscribed != CUPTI_SUCCESS) {
    if (subscribed == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
      note_that_others_may_capture();  // as threads of programs do that were profiled
    }
    const char* text = nullptr;
    cupti().cuptiGetResultString(subscribed, &text);
    throw CudaUnavailable("CUPTI cannot be subscribed to (a profiler or another tool may be attached): " +
                          std::string(text == nullptr ? std::to_string(subscribed) : text));
  }
  if (others_record_kernels()) {
    subscription_->was_attached();
    note_that_others_may_capture();
    throw CudaUnavailable("the application takes CUPTI's records of kernels itself, and would get no more");
  }
  current.store(this);
  try {
    enable();
  } catch (const CudaError& error) {
    end();
    throw CudaUnavailable(error.what());
  }
}

void CuptiSession::enable() {
  promise_zeroed_buffers(true);
  CONTEXTUAL_CUPTI(cuptiActivityRegisterCallbacks(on_buffer_requested, on_buffer_completed));
  for (const CUpti_ActivityKind kind : activities) {
    CONTEXTUAL_CUPTI(cuptiActivityEnable(kind));
  }
  for (CUpti_CallbackId id = 1; id < call_kinds.size(); ++id) {
    if (call_kinds[id] != CallKind::other) {
      CONTEXTUAL_CUPTI(cuptiEnableCallback(1, subscription_->handle(), CUPTI_CB_DOMAIN_DRIVER_API, id));
    }
  }
}

CuptiSession::Seen& CuptiSession::the_seen() {
  static auto* const seen = new Seen(first_calls);
  return *seen;
}

void CuptiSession::Seen::forget() {
  captures.store(0, std::memory_order_relaxed);
  captures_of_others.store(0, std::memory_order_relaxed);
  home.store(nullptr, std::memory_order_relaxed);
  std::vector<LaunchedCall> ignored;
  calls.take(ignored);
  contexts.clear();
}

CuptiSession::~CuptiSession() {
  end();
}

/// Whatever fails here, the rest is still undone.
void CuptiSession::end() noexcept {
  const Cupti& api = cupti();  // loaded, or this object would not be
  for (const CUpti_ActivityKind kind : activities) {
    api.cuptiActivityDisable(kind);  // one that could not be enabled is off already
  }
  api.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);  // gives the buffers back
  promise_zeroed_buffers(false);                                // whoever has CUPTI next makes its own
  subscription_->unsubscribe();
  current.store(nullptr);
  if (!detach_.load(std::memory_order_relaxed)) {
    return;
  }
  const char* reason = reason_not_to_wait();
  if (reason == nullptr) {
    give_back_local_memory();
    reason = detachments < most_detachments ? nullptr : "as each detachment loses device memory";
  }
  if (reason == nullptr) {
    detachments += finalize() ? 1 : 0;
  } else if (!std::exchange(said_that_it_stays, true)) {
    detail::tell_stderr("[contextual] CUPTI stays attached after this run, ");
    detail::tell_stderr(reason);
    detail::tell_stderr("; a launch costs about 0.6 us more until contextual::detach_cupti() is called\n");
  }
}

/// Of the driver, which waits for all work. Null if there is none.
const char* CuptiSession::reason_not_to_wait() const noexcept {
  if (seen_.others.load(std::memory_order_relaxed)) {
    return "as other threads of the process use CUDA, for which detaching is not safe";
  }
  return work_has_ended() ? nullptr : "as work is under way, for which detaching would wait";
}

/// Where a thread may capture it cannot be known.
bool CuptiSession::work_has_ended() const noexcept {
  try {
    DeviceWaiter waiter;
    waiter.wait(active_contexts(), {}, Deadline::after(patience_at_the_end));
    return !own_captures_open() && !others_may_capture();
  } catch (const std::exception&) {
    return false;
  }
}

/// For the one who has it `in_use`. It waits for the devices, so it is never called within a launch.
bool CuptiSession::finalize() noexcept {
  if (others_record_kernels()) {
    return false;
  }
  attached = cupti().cuptiFinalize() != CUPTI_SUCCESS;
  return !attached;
}

/// Other threads need not wait for the devices: for them CUPTI is in use.
bool CuptiSession::detach() noexcept {
  {
    const std::lock_guard lock(life);
    if (!attached || in_use) {
      return !attached;
    }
    in_use = true;
  }
  const bool detached = finalize();
  const std::lock_guard lock(life);
  in_use = false;
  return detached;
}

void CuptiSession::forget_the_process() noexcept {
  const std::lock_guard lock(life);
  attached = false;
  detachments = 0;
  said_that_it_stays = false;
  the_seen().others.store(false);
  forget_captures_of_others();
}

std::int64_t CuptiSession::set_launch(std::int64_t launch) noexcept {
  return std::exchange(launch_of_thread, launch);
}

std::uint32_t CuptiSession::mark() noexcept {
  int ignored = 0;
  marked_by_thread = 0;
  driver().cuDriverGetVersion(&ignored);  // its callback takes the number down
  return marked_by_thread;
}

/// On the thread that makes the API call, before and after it: no CUDA, no lock, no allocation.
[[gnu::hot]] void CUPTIAPI CuptiSession::on_api(void* user, CUpti_CallbackDomain /*domain*/,
                                                CUpti_CallbackId id, const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  auto& seen = *static_cast<Seen*>(user);
  const CallKind kind = call_kinds[id];  // only its calls were asked for
  if (kind == CallKind::marker) [[unlikely]] {
    marked_by_thread = call.correlationId;
    return;
  }
  if (call.callbackSite == CUPTI_API_ENTER) {
    seen.saw_thread();
    if (kind != CallKind::host) {
      seen.contexts.add(call.context);  // now: the region may return while another thread is still in here
    }
    return;
  }
  if (kind == CallKind::host) {
    return;
  }
  const CUresult code = *static_cast<const CUresult*>(call.functionReturnValue);
  if (kind == CallKind::capture_begins || kind == CallKind::capture_ends) [[unlikely]] {
    seen.saw_capture(kind, code);
  } else if (launch_of_thread >= 0 && code == CUDA_SUCCESS) {
    // Known to have put something on a device only now: what failed leaves no record.
    // What is captured leaves no record, its graph's launch does.
    const bool kernel = kind == CallKind::kernel && seen.captures.load(std::memory_order_relaxed) == 0;
    seen.calls.add({call.correlationId, kernel, launch_of_thread, kind == CallKind::order});
  }
}

/// Before a session is acquired it has no home.
void CuptiSession::Seen::saw_thread() noexcept {
  const void* const of_session = home.load(std::memory_order_relaxed);
  if (of_session != &marked_by_thread && of_session != nullptr && !others.load(std::memory_order_relaxed))
      [[unlikely]] {
    others.store(true, std::memory_order_relaxed);
  }
}

[[gnu::cold]] void CuptiSession::Seen::saw_capture(CallKind kind, CUresult code) noexcept {
  const bool own = launch_of_thread >= 0 || home.load(std::memory_order_relaxed) == &marked_by_thread;
  std::atomic<int>& count = own ? captures : captures_of_others;
  if (kind == CallKind::capture_ends) {
    if (code != CUDA_SUCCESS && code != CUDA_ERROR_STREAM_CAPTURE_INVALIDATED &&
        code != CUDA_ERROR_STREAM_CAPTURE_UNJOINED) {
      return;  // there was none to end
    }
    int open = count.load(std::memory_order_relaxed);
    while (open > 0 && !count.compare_exchange_weak(open, open - 1, std::memory_order_relaxed)) {
    }
  } else if (code == CUDA_SUCCESS) {
    count.fetch_add(1, std::memory_order_relaxed);
    if (!own) {
      note_that_others_may_capture();
    }
  }
}

/// On a thread of CUPTI or of the application, perhaps inside a launch: no allocation but where all buffers
/// are in use, no lock that is held for long.
void CUPTIAPI CuptiSession::on_buffer_requested(std::uint8_t** buffer, std::size_t* size,
                                                std::size_t* max_records) {
  CuptiSession* const session = current.load();
  *buffer = session == nullptr ? nullptr : session->buffers_.take();
  *size = *buffer == nullptr ? 0 : ActivityBuffers::bytes;
  *max_records = 0;  // as many as fit
}

/// As above, where a batch fills a buffer; the buffer is ours again.
void CUPTIAPI CuptiSession::on_buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                                std::size_t /*size*/, std::size_t valid) {
  CuptiSession* const session = current.load();
  if (session == nullptr) {
    ActivityBuffers::free(buffer);
    return;
  }
  try {
    session->read(context, stream, buffer, valid);
  } catch (...) {
    const std::lock_guard lock(session->mutex_);
    session->lost_ = true;  // no memory for the records
  }
  session->buffers_.give_back(buffer);
}

void CuptiSession::read(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t valid) {
  const std::lock_guard lock(mutex_);
  const auto add = [this](const auto& record, bool kernel) {
    records_.push_back({static_cast<std::int64_t>(record.start), static_cast<std::int64_t>(record.end),
                        static_cast<int>(record.deviceId), record.correlationId, kernel, record.graphId});
  };
  CUpti_Activity* activity = nullptr;
  while (cupti().cuptiActivityGetNextRecord(buffer, valid, &activity) == CUPTI_SUCCESS) {
    switch (activity->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        add(*reinterpret_cast<const CUpti_ActivityKernel10*>(activity), true);
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        add(*reinterpret_cast<const CUpti_ActivityMemcpy6*>(activity), false);
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY2:
        add(*reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(activity), false);
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        add(*reinterpret_cast<const CUpti_ActivityMemset4*>(activity), false);
        break;
      default:
        break;
    }
  }
  std::size_t dropped = 0;
  if (cupti().cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS && dropped > 0) {
    lost_ = true;
  }
}

CuptiSession::Taken CuptiSession::take() {
  CONTEXTUAL_CUPTI(cuptiActivityFlushAll(0));
  std::size_t dropped = 0;
  CONTEXTUAL_CUPTI(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped));
  Taken taken;
  const bool all_calls = seen_.calls.take(taken.calls);
  const std::lock_guard lock(mutex_);
  const std::size_t room = records_.size();
  taken.records = std::exchange(records_, {});
  records_.reserve(std::max(room, first_records));  // now, not while the next batch runs
  taken.lost = std::exchange(lost_, false) || dropped > 0 || !all_calls;
  return taken;
}

}  // namespace contextual::cuda
