#pragma once

/// \file
/// One subscription to CUPTI, from its first to its last user: what runs on the devices, and which API call
/// put it there.

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

/// An API call that was made inside a launch.
struct LaunchedCall {
  std::uint32_t correlation = 0;
  bool kernel = false;      ///< a call that must give a kernel's record
  std::int64_t launch = 0;  ///< as given to `LaunchScope`
};

/// Thread-safe. At most one a process exists, because CUPTI has one subscriber.
class CuptiSession {
 public:
  /// The one that is alive, else a new one. Subscribes first; when that fails nothing else of CUPTI is
  /// touched. Throws CudaUnavailable with the reason.
  static std::shared_ptr<CuptiSession> acquire();
  CuptiSession(const CuptiSession&) = delete;
  CuptiSession& operator=(const CuptiSession&) = delete;
  /// Unsubscribes and detaches CUPTI from the process, which takes some ms, so that launches cost what they
  /// did before.
  ~CuptiSession();

  /// Calls of this thread belong to `launch`, until -1. No lock, no allocation.
  static void set_launch(std::int64_t launch) noexcept;

  /// The largest correlation id seen so far: what comes later is larger.
  std::uint32_t last_correlation() const noexcept {
    return last_correlation_.load(std::memory_order_relaxed);
  }

  /// What was done since the last `take`, and by which calls. Only after all work is done; flushes. `lost`:
  /// some records or calls were dropped, so times that were put together from them would be too short.
  struct Taken {
    std::vector<DeviceRecord> records;
    std::vector<LaunchedCall> calls;
    bool lost = false;
  };
  Taken take();

 private:
  CuptiSession();
  void enable();

  static void CUPTIAPI on_api(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
  static void CUPTIAPI on_buffer_requested(std::uint8_t** buffer, std::size_t* size,
                                           std::size_t* max_records);
  static void CUPTIAPI on_buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                           std::size_t size, std::size_t valid);
  void add_call(std::uint32_t correlation, bool kernel, std::int64_t launch) noexcept;
  void read(std::uint8_t* buffer, std::size_t valid);

  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::atomic<std::uint32_t> last_correlation_{0};
  std::vector<LaunchedCall> calls_;  ///< of fixed size; filled up to `call_count_`
  std::atomic<std::size_t> call_count_{0};
  std::mutex mutex_;
  std::vector<DeviceRecord> records_;
  bool lost_ = false;
};

}  // namespace contextual::cuda
