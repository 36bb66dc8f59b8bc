#pragma once

/// \file
/// One device's answers, set by the test. One test at a time.

#include "contextual/cuda/api/nvml.hpp"
#include "contextual/cuda/timing/device_monitor.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace contextual::cuda {

/// While it lives, the monitor's time is this one, in which only slow readings take some.
class ScriptedTime {
 public:
  ScriptedTime() : saved_(std::exchange(monitor_now, [] { return now; })) {}
  ScriptedTime(const ScriptedTime&) = delete;
  ScriptedTime& operator=(const ScriptedTime&) = delete;
  ~ScriptedTime() { monitor_now = saved_; }

  static inline std::chrono::steady_clock::time_point now{};

 private:
  decltype(monitor_now) saved_;
};

struct ScriptedNvml {
  static inline unsigned sm_mhz = 0;
  static inline unsigned long long reasons = 0;
  static inline unsigned long long thermal_ns = 0;
  static inline std::string bus_id;
  static inline int clock_reads = 0;
  static inline std::chrono::milliseconds slow{0};  ///< every reading of a clock takes that long

  static Nvml table() {
    sm_mhz = 1980;
    reasons = thermal_ns = 0;
    bus_id = "0000:18:00.0";
    clock_reads = 0;
    slow = {};
    Nvml api;
    api.nvmlDeviceGetHandleByPciBusId_v2 = [](const char* asked, NvmlDevice* device) {
      *device = reinterpret_cast<NvmlDevice>(&sm_mhz);  // any address
      return asked == bus_id ? nvml_success : 6;
    };
    api.nvmlDeviceGetClockInfo = [](NvmlDevice, int clock, unsigned* mhz) {
      ScriptedTime::now += slow;
      ++clock_reads;
      *mhz = clock == nvml_clock_sm ? sm_mhz : 2619;
      return nvml_success;
    };
    api.nvmlDeviceGetCurrentClocksEventReasons = [](NvmlDevice, unsigned long long* bits) {
      return *bits = reasons, nvml_success;
    };
    api.nvmlDeviceGetTemperature = [](NvmlDevice, int, unsigned* celsius) {
      return *celsius = 41, nvml_success;
    };
    api.nvmlDeviceGetPowerUsage = [](NvmlDevice, unsigned* milliwatts) {
      return *milliwatts = 350900, nvml_success;
    };
    api.nvmlDeviceGetViolationStatus = [](NvmlDevice, int policy, NvmlViolationTime* time) {
      return time->violation_ns = policy == nvml_policy_thermal ? thermal_ns : 0, nvml_success;
    };
    return api;
  }
};

}  // namespace contextual::cuda
