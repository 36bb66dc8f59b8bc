#pragma once

/// \file
/// One subscription to CUPTI, from its first to its last user: what runs on the devices, and which API call
/// put it there.

#include "contextual/cuda/cupti/activity_buffers.hpp"
#include "contextual/cuda/cupti/call_kinds.hpp"
#include "contextual/cuda/cupti/call_list.hpp"
#include "contextual/cuda/timing/used_contexts.hpp"

#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace contextual::cuda {

/// Something a device did.
struct DeviceRecord {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  int device = 0;
  std::uint32_t correlation = 0;  ///< of the API call
  bool kernel = false;            ///< else a copy or a fill
};

/// Thread-safe. At most one a process exists, because CUPTI has one subscriber.
class CuptiSession {
 public:
  /// The one that was left open, else a new one. Subscribes first; when that fails nothing else of CUPTI is
  /// touched. Throws CudaUnavailable with the reason; also while another user has it, whose records would be
  /// mixed with these.
  static std::shared_ptr<CuptiSession> acquire();
  /// Keeps a session as it is until the next `acquire`: taking CUPTI away from a process with a thread in the
  /// driver, or with work that never ends, is not safe, and may never return.
  static void leave_open(std::shared_ptr<CuptiSession> session) noexcept;
  CuptiSession(const CuptiSession&) = delete;
  CuptiSession& operator=(const CuptiSession&) = delete;
  /// Unsubscribes and detaches CUPTI from the process, which takes some ms, so that launches cost what they
  /// did before.
  ~CuptiSession();

  /// From now on this session ends with unsubscribing: CUPTI stays in the process.
  void keep_attached() noexcept { detach_.store(false, std::memory_order_relaxed); }

  /// Calls of this thread belong to `launch` from now on, -1: to none. Gives back what they belonged to
  /// before, since a launcher may launch other tunable kernels. No lock, no allocation.
  static std::int64_t set_launch(std::int64_t launch) noexcept;

  /// A correlation id between those of the calls that were made before, on all threads, and those of the
  /// calls that come later; 0 where CUPTI did not call back. One cheap call of the driver, which touches no
  /// device.
  std::uint32_t mark() noexcept;

  /// Some stream is being captured, as far as that began in this session.
  bool captures_open() const noexcept { return seen_.captures.load(std::memory_order_relaxed) > 0; }

  /// The contexts of the calls that were seen, by whichever thread.
  UsedContexts& contexts() noexcept { return seen_.contexts; }

  /// What was done since the last `take`, and by which calls. Only after all work is done; flushes. `lost`:
  /// some records or calls were dropped, so times that were put together from them would be too short.
  struct Taken {
    std::vector<DeviceRecord> records;
    std::vector<LaunchedCall> calls;
    bool lost = false;
  };
  Taken take();

 private:
  /// What the callbacks write down. One a process, never destroyed: a callback may still run on another
  /// thread when its session has ended.
  struct Seen {
    std::atomic<int> captures{0};  ///< begun and not ended
    CallList calls;
    UsedContexts contexts;

    explicit Seen(std::size_t first_calls) : calls(first_calls) {}
    void saw_capture(CallKind kind, CUresult code) noexcept;
    void forget();
  };

  CuptiSession();
  static Seen& the_seen();
  void enable();
  void end() noexcept;

  static void CUPTIAPI on_api(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
  static void CUPTIAPI on_buffer_requested(std::uint8_t** buffer, std::size_t* size,
                                           std::size_t* max_records);
  static void CUPTIAPI on_buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                           std::size_t size, std::size_t valid);
  void read(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t valid);

  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::atomic<bool> detach_{true};
  Seen& seen_;
  ActivityBuffers buffers_;
  std::mutex mutex_;  ///< of what follows; not taken by launches
  std::vector<DeviceRecord> records_;
  bool lost_ = false;
};

}  // namespace contextual::cuda
