#pragma once

/// \file
/// Reads, once per batch, the clocks, temperature and power of a region's devices, and what slows them down.

#include "contextual/cuda/api/nvml.hpp"
#include "contextual/cuda/timing/clock_judge.hpp"

#include <contextual/timer.hpp>

#include <cuda.h>

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace contextual::cuda {

/// The clock that measures the cost of a reading. Tests replace it.
inline std::chrono::steady_clock::time_point (*monitor_now)() = std::chrono::steady_clock::now;

/// Each timer has one monitor, which only the thread of `run` uses. Without NVML, or for a device that NVML
/// does not know, it reads and reports nothing.
///
/// A reading takes about 1 ms (H100, driver 580), most of it for the total times. Expensive readings are made
/// so rarely that they take at most 2.5 % of the time; batches without a reading have no conditions.
class DeviceMonitor {
 public:
  /// Loads NVML, which takes some ms once per process, and looks up the device of the current context.
  DeviceMonitor() noexcept;

  /// Reads the devices. Call it at the begin of a settle, when a batch that is long enough still runs,
  /// because a device that is done appears idle. Fields that cannot be read get no value.
  void read(const std::vector<CUcontext>& contexts) noexcept;

  /// Returns the conditions of the last batch, for Timer::conditions.
  const BatchConditions& conditions() const noexcept { return conditions_; }

 private:
  void read_devices(const std::vector<CUcontext>& contexts);
  std::optional<int> device_of(CUcontext context);
  ClockReading read_device(int number, NvmlDevice device);
  bool too_soon() const;

  std::map<CUcontext, std::optional<int>> devices_of_contexts_;
  std::map<int, NvmlDevice> handles_;  ///< by the driver's number; null if NVML does not know the device
  ClockJudge judge_;
  BatchConditions conditions_;
  std::chrono::steady_clock::time_point read_at_;
  std::chrono::nanoseconds cost_{0};  ///< of the last reading
};

}  // namespace contextual::cuda
