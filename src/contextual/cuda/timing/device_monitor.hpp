#pragma once

/// \file
/// Clocks, temperature, power and what slows the devices of a region down, read once a batch.

#include "contextual/cuda/api/nvml.hpp"
#include "contextual/cuda/timing/clock_judge.hpp"

#include <contextual/timer.hpp>

#include <cuda.h>

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace contextual::cuda {

/// By which a reading's cost is measured. Tests put their own in its place.
inline std::chrono::steady_clock::time_point (*monitor_now)() = std::chrono::steady_clock::now;

/// One a timer; used by the thread of `run` only. Without NVML, or where it does not know a device, it reads
/// nothing and says nothing.
///
/// A reading takes about a ms (H100, driver 580), most of it for the cumulated times. Expensive readings are
/// taken so rarely that they take at most 2.5 % of the time; batches between them have no conditions.
class DeviceMonitor {
 public:
  /// Loads NVML, which takes some ms once a process, and looks the current context's device up.
  DeviceMonitor() noexcept;

  /// Begin of a settle, while the batch is still running if it is long enough: a device that is done reads as
  /// idle. Never throws: what cannot be read has no value.
  void read(const std::vector<CUcontext>& contexts) noexcept;

  /// Of the batch that was read last, for Timer::conditions.
  const BatchConditions& conditions() const noexcept { return conditions_; }

 private:
  void read_devices(const std::vector<CUcontext>& contexts);
  std::optional<int> device_of(CUcontext context);
  ClockReading read_device(int number, NvmlDevice device);
  bool too_soon() const;

  std::map<CUcontext, std::optional<int>> devices_of_contexts_;
  std::map<int, NvmlDevice> handles_;  ///< by the driver's number; null where NVML does not know the device
  ClockJudge judge_;
  BatchConditions conditions_;
  std::chrono::steady_clock::time_point read_at_;
  std::chrono::nanoseconds cost_{0};  ///< of the reading before
};

}  // namespace contextual::cuda
