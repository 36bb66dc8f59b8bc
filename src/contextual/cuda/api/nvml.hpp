#pragma once

/// \file
/// NVML, which knows clocks, temperatures and what slows a device down, as a table of functions loaded at run
/// time. Its header is not part of the toolkit, so what is needed of it is declared here. A machine without
/// the library, or with one that lacks a function, is no error: that function is null.

#include <cstdint>
#include <string>

#define CONTEXTUAL_NVML_FUNCTIONS(X)        \
  X(nvmlInit_v2)                            \
  X(nvmlErrorString)                        \
  X(nvmlDeviceGetHandleByPciBusId_v2)       \
  X(nvmlDeviceGetClockInfo)                 \
  X(nvmlDeviceGetCurrentClocksEventReasons) \
  X(nvmlDeviceGetTemperature)               \
  X(nvmlDeviceGetPowerUsage)                \
  X(nvmlDeviceGetViolationStatus)

namespace contextual::cuda {

using NvmlDevice = struct NvmlDeviceHandle*;

/// The values of NVML's enumerations, as its manual gives them.
inline constexpr int nvml_success = 0;
inline constexpr int nvml_clock_sm = 1;
inline constexpr int nvml_clock_memory = 2;
inline constexpr int nvml_temperature_gpu = 0;
inline constexpr int nvml_policy_power = 0;
inline constexpr int nvml_policy_thermal = 1;

/// Why a device does not run at its highest clock: bits.
namespace clock_reason {
inline constexpr std::uint64_t idle = 0x1;
inline constexpr std::uint64_t clocks_setting = 0x2;
inline constexpr std::uint64_t power_cap = 0x4;
inline constexpr std::uint64_t hardware_slowdown = 0x8;
inline constexpr std::uint64_t sync_boost = 0x10;
inline constexpr std::uint64_t software_thermal = 0x20;
inline constexpr std::uint64_t hardware_thermal = 0x40;
inline constexpr std::uint64_t power_brake = 0x80;
inline constexpr std::uint64_t display_setting = 0x100;
}  // namespace clock_reason

/// Since the driver was loaded; 64 bits each.
struct NvmlViolationTime {
  unsigned long long reference_us = 0;
  unsigned long long violation_ns = 0;
};

// NOLINTBEGIN(readability-identifier-naming)
/// Names and parameters are those of the library. All but the error text return `nvml_success` or a code.
struct Nvml {
  int (*nvmlInit_v2)() = nullptr;
  const char* (*nvmlErrorString)(int) = nullptr;
  int (*nvmlDeviceGetHandleByPciBusId_v2)(const char*, NvmlDevice*) = nullptr;
  int (*nvmlDeviceGetClockInfo)(NvmlDevice, int clock, unsigned* mhz) = nullptr;
  /// Older libraries name it nvmlDeviceGetCurrentClocksThrottleReasons.
  int (*nvmlDeviceGetCurrentClocksEventReasons)(NvmlDevice, unsigned long long* reasons) = nullptr;
  int (*nvmlDeviceGetTemperature)(NvmlDevice, int sensor, unsigned* celsius) = nullptr;
  int (*nvmlDeviceGetPowerUsage)(NvmlDevice, unsigned* milliwatts) = nullptr;
  int (*nvmlDeviceGetViolationStatus)(NvmlDevice, int policy, NvmlViolationTime* time) = nullptr;
};
// NOLINTEND(readability-identifier-naming)

/// Of this process, initialised at the first call, which takes some ms or tens of them. All functions are
/// null when there is no NVML. Never shut down. Thread-safe; never throws.
const Nvml& nvml() noexcept;

/// Why there is no NVML; empty when there is one.
std::string nvml_problem() noexcept;

/// As DriverReplacement; the replacement is used as it is, without a call of nvmlInit_v2.
class NvmlReplacement {
 public:
  explicit NvmlReplacement(const Nvml& replacement);
  NvmlReplacement(const NvmlReplacement&) = delete;
  NvmlReplacement& operator=(const NvmlReplacement&) = delete;
  ~NvmlReplacement();

 private:
  const Nvml* saved_;
};

}  // namespace contextual::cuda
