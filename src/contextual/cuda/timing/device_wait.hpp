#pragma once

/// \file
/// Waits for devices with a bound, and without harm to what other threads do.

#include <contextual/deadline.hpp>

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace contextual::cuda {

/// While it lives, what this thread asks of the driver does not invalidate captures that other threads began
/// in mode global. Calls for a whole context invalidate captures all the same.
class RelaxedCaptures {
 public:
  RelaxedCaptures() noexcept { exchange(); }
  RelaxedCaptures(const RelaxedCaptures&) = delete;
  RelaxedCaptures& operator=(const RelaxedCaptures&) = delete;
  ~RelaxedCaptures() { exchange(); }

 private:
  void exchange() noexcept;

  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

/// Returns true once a thread beside the region is known to capture, or a profiler has been used, as programs
/// with such threads do. From then on, and as long as the process lives, nothing is done with a whole
/// context: that would invalidate their captures. Thread-safe.
bool others_may_capture() noexcept;
void note_that_others_may_capture() noexcept;
void forget_captures_of_others() noexcept;  ///< for tests

/// Checks the result of a call for a whole context, which a capture makes fail.
void check_of_context(CUresult code, const char* call);

/// A stream that is capturing waits for this context's legacy default stream. That stream cannot be used
/// then: to use it would invalidate the capture. Asking does no harm.
bool default_stream_is_blocked(CUcontext context);

/// Waits until work on devices has ended, by events that it polls: it never synchronizes a context, and
/// records nothing on a stream that is capturing.
class DeviceWaiter {
 public:
  DeviceWaiter() = default;
  DeviceWaiter(const DeviceWaiter&) = delete;
  DeviceWaiter& operator=(const DeviceWaiter&) = delete;
  ~DeviceWaiter();

  /// A stream; null for the legacy default stream.
  struct Stream {
    CUcontext context = nullptr;
    CUstream stream = nullptr;
  };

  /// Waits for all work of these contexts. Needs a driver for CUDA 12.5 or newer; with an older one, where
  /// others may capture, or where a stream of a context is capturing, it waits for what `streams` returns
  /// instead, which may be empty, and is not called otherwise: the streams may be gone. The first such
  /// capture that nobody knew of becomes invalid. Throws CudaError or DeviceError if a context has failed,
  /// and Error if the deadline expires first.
  void wait(const std::vector<CUcontext>& contexts, const std::function<std::vector<Stream>()>& streams,
            Deadline deadline);
  /// The same for the work of these streams, those that are capturing left out.
  void wait_for_streams(const std::vector<Stream>& streams, Deadline deadline);

  /// Returns true if a deadline has expired: that work may never end.
  bool gave_up() const noexcept { return gave_up_; }

 private:
  struct Event {
    CUcontext context = nullptr;
    CUevent event = nullptr;
  };

  bool record_contexts(const std::vector<CUcontext>& contexts);
  void record_streams(const std::vector<Stream>& streams);
  CUevent event(CUcontext context);
  void poll(Deadline deadline);

  std::vector<Event> events_;  ///< of all waits
  std::size_t recorded_ = 0;   ///< the first ones, by this wait
  bool gave_up_ = false;
};

/// The stream is capturing, or cannot be used because another one is.
bool is_captured(const DeviceWaiter::Stream& on);

}  // namespace contextual::cuda
