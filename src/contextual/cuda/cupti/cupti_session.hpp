#pragma once

/// \file
/// One subscription to CUPTI: what runs on the devices, and which driver call put it there.

#include "contextual/cuda/cupti/activity_buffers.hpp"
#include "contextual/cuda/cupti/call_kinds.hpp"
#include "contextual/cuda/cupti/call_list.hpp"
#include "contextual/cuda/timing/used_contexts.hpp"

#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace contextual::cuda {

/// A kernel, copy or fill that a device has run.
struct DeviceRecord {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  int device = 0;
  std::uint32_t correlation = 0;  ///< the id of the driver call; 0 in the body of a graph's conditional node
  bool kernel = false;            ///< false for a copy or a fill
  std::uint32_t graph = 0;        ///< the id of the graph; 0 for none
};

/// There is at most one session per process, because CUPTI has one subscriber. Thread-safe.
class CuptiSession {
 public:
  /// Returns the session that was left open, else a new one. Subscribes first; if that fails, it does not
  /// touch CUPTI further. Throws CudaUnavailable with the reason, also while another user has the session,
  /// because the records of both would mix, and if the application has CUPTI record its kernels.
  ///
  /// The first subscription waits within CUPTI for all kernels that run, and other threads' calls of the
  /// driver with it. So that is done for half of the latest run's deadline at most: if the default streams
  /// have work until then, or CUPTI does not come back, it throws CudaUnavailable, and a subscription that
  /// arrives later is given back.
  static std::shared_ptr<CuptiSession> acquire();
  /// Keeps a session open until the next `acquire`. Use it if a thread may be inside the driver or work may
  /// never end: detaching CUPTI is not safe then and may never return.
  static void leave_open(std::shared_ptr<CuptiSession> session) noexcept;
  CuptiSession(const CuptiSession&) = delete;
  CuptiSession& operator=(const CuptiSession&) = delete;
  /// Unsubscribes, and detaches CUPTI from the process, so that launches cost what they did before. Takes
  /// some ms. CUPTI stays attached, which is said once on stderr, if another thread than a session's own was
  /// seen in CUDA, ever, since it may be there now; if a capture or work is under way, for which detaching
  /// would wait; and after `most_detachments`, since each loses about 0.6 MiB of device memory within CUPTI.
  ~CuptiSession();
  static constexpr int most_detachments = 8;

  /// Detaches CUPTI if sessions have left it attached. Returns false if it stays attached, because a session
  /// has it or the application takes records.
  static bool detach() noexcept;
  /// For tests, each of which has a CUPTI of its own: begins anew as a process does.
  static void forget_the_process() noexcept;

  /// Makes the destructor only unsubscribe, so that CUPTI stays attached to the process.
  void keep_attached() noexcept { detach_.store(false, std::memory_order_relaxed); }

  /// Assigns the following driver calls of this thread to `launch`, or to none if it is -1. Returns the
  /// previous launch, since a launcher may launch other tunable kernels. Takes no lock and does not allocate.
  static std::int64_t set_launch(std::int64_t launch) noexcept;

  /// Returns a correlation id that lies between those of all earlier and all later driver calls of all
  /// threads, or 0 if CUPTI did not call back. Makes one cheap driver call, which touches no device.
  std::uint32_t mark() noexcept;

  /// Returns true if some capture that began in this session has not ended.
  bool captures_open() const noexcept {
    return own_captures_open() || seen_.captures_of_others.load(std::memory_order_relaxed) > 0;
  }
  /// The same for those that this session's thread began, or a thread in a launch.
  bool own_captures_open() const noexcept { return seen_.captures.load(std::memory_order_relaxed) > 0; }

  /// Returns the contexts of the calls seen, of all threads.
  UsedContexts& contexts() noexcept { return seen_.contexts; }

  /// The records since the last `take`, and the calls they belong to. `lost` says that some records or calls
  /// were dropped, so that times computed from them would be too short. Call `take` only after all work is
  /// done; it flushes CUPTI.
  struct Taken {
    std::vector<DeviceRecord> records;
    std::vector<LaunchedCall> calls;
    bool lost = false;
  };
  Taken take();

 private:
  /// What the callbacks record. There is one per process, which is never destroyed, because a callback may
  /// still run on another thread after its session has ended.
  struct Seen {
    std::atomic<int> captures{0};            ///< the number begun and not ended by this session's threads
    std::atomic<int> captures_of_others{0};  ///< and by other threads
    std::atomic<const void*> home{nullptr};  ///< the thread that acquired the session
    /// Another thread was in CUDA. Never forgotten: that of an earlier session may be there, too.
    std::atomic<bool> others{false};
    CallList calls;
    UsedContexts contexts;

    explicit Seen(std::size_t first_calls) : calls(first_calls) {}
    void saw_thread() noexcept;
    void saw_capture(CallKind kind, CUresult code) noexcept;
    void forget();
  };

  class Subscription;
  explicit CuptiSession(std::shared_ptr<Subscription> subscription);
  static Seen& the_seen();
  static bool finalize() noexcept;
  static void attach(const std::shared_ptr<Subscription>& subscription);
  const char* reason_not_to_wait() const noexcept;
  bool work_has_ended() const noexcept;
  void enable();
  void end() noexcept;

  static void CUPTIAPI on_api(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
  static void CUPTIAPI on_buffer_requested(std::uint8_t** buffer, std::size_t* size,
                                           std::size_t* max_records);
  static void CUPTIAPI on_buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                           std::size_t size, std::size_t valid);
  void read(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t valid);

  std::shared_ptr<Subscription> subscription_;  ///< ends last: then the next session may begin
  std::atomic<bool> detach_{true};
  Seen& seen_;
  ActivityBuffers buffers_;
  std::mutex mutex_;  ///< guards the following members; launches do not take it
  std::vector<DeviceRecord> records_;
  bool lost_ = false;
};

}  // namespace contextual::cuda
