#pragma once

/// \file
/// NVML, which knows clocks, temperatures and what slows a device down, as a table of functions loaded at run
/// time. Its header is not part of the toolkit, so this header declares what the library needs of it. A
/// machine without NVML, or with an NVML that lacks a function, is not an error: the function is then null.

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

/// Bits that say why a device does not run at its highest clock.
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

/// Times since the driver was loaded.
struct NvmlViolationTime {
  unsigned long long reference_us = 0;
  unsigned long long violation_ns = 0;
};

// NOLINTBEGIN(readability-identifier-naming)
/// The functions, with NVML's names and parameters. All but the one for error texts return `nvml_success` or
/// an error code.
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

/// Returns the NVML of this process. The first call initialises it, which takes some ms to some tens of ms.
/// Without NVML all functions are null. It is never shut down. Thread-safe.
const Nvml& nvml() noexcept;

/// Returns why there is no NVML, or an empty text if there is one.
std::string nvml_problem() noexcept;

/// Replaces NVML's table as DriverReplacement does the driver's. Does not call nvmlInit_v2 of the
/// replacement.
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
