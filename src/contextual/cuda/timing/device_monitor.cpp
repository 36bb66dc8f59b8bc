#include "contextual/cuda/timing/device_monitor.hpp"

#include "contextual/cuda/api/driver.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace contextual::cuda {
namespace {

constexpr std::chrono::microseconds cheap{200};  // a reading that takes less is never left out
constexpr int most_share = 40;                   // others take at most one part in this many of the time

constexpr int milliwatts_per_watt = 1000;
constexpr int bus_id_length = 32;  // "0000:00:00.0" and a zero, with room

/// What one of NVML's functions says, if it is there and works.
template <typename Value, typename Function, typename... Arguments>
std::optional<Value> ask(Function function, NvmlDevice device, Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(device, arguments..., &value) != nvml_success) {
    return std::nullopt;
  }
  return value;
}

std::optional<int> as_int(std::optional<unsigned> value) {
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<std::int64_t> violation_ns(NvmlDevice device, int policy) {
  const auto time = ask<NvmlViolationTime>(nvml().nvmlDeviceGetViolationStatus, device, policy);
  return time ? std::optional(static_cast<std::int64_t>(time->violation_ns)) : std::nullopt;
}

std::optional<CUdevice> device_or_nothing() {
  CUdevice device = 0;
  return driver().cuCtxGetDevice(&device) == CUDA_SUCCESS ? std::optional(device) : std::nullopt;
}

NvmlDevice handle_of(CUdevice device) {
  std::array<char, bus_id_length> bus_id{};
  NvmlDevice handle = nullptr;
  if (nvml().nvmlDeviceGetHandleByPciBusId_v2 == nullptr ||
      driver().cuDeviceGetPCIBusId(bus_id.data(), bus_id_length, device) != CUDA_SUCCESS ||
      nvml().nvmlDeviceGetHandleByPciBusId_v2(bus_id.data(), &handle) != nvml_success) {
    return nullptr;
  }
  return handle;
}

}  // namespace

DeviceMonitor::DeviceMonitor() noexcept {
  CUcontext context = nullptr;
  try {
    if (driver().cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != nullptr) {
      device_of(context);
    }
  } catch (...) {
    return;  // no memory: then without this device
  }
}

void DeviceMonitor::read(const std::vector<CUcontext>& contexts) noexcept {
  conditions_.devices.clear();
  conditions_.warnings.clear();
  conditions_.disturbance.clear();
  if (too_soon()) {
    return;
  }
  const auto begin = monitor_now();
  try {
    read_devices(contexts);
  } catch (...) {
    conditions_.disturbance.clear();  // no memory: then without conditions
  }
  read_at_ = monitor_now();
  cost_ = read_at_ - begin;
}

bool DeviceMonitor::too_soon() const {
  return cost_ > cheap && monitor_now() - read_at_ < cost_ * most_share;
}

void DeviceMonitor::read_devices(const std::vector<CUcontext>& contexts) {
  std::set<int> devices;
  for (CUcontext context : contexts) {
    if (const std::optional<int> device = device_of(context)) {
      devices.insert(*device);
    }
  }
  std::vector<ClockReading> readings;
  for (const int device : devices) {
    if (const NvmlDevice handle = handles_.at(device)) {
      readings.push_back(read_device(device, handle));
    }
  }
  ClockJudge::Verdict verdict = judge_.judge(readings);
  conditions_.disturbance = std::move(verdict.disturbance);
  conditions_.warnings = std::move(verdict.warnings);
}

std::optional<int> DeviceMonitor::device_of(CUcontext context) {
  const auto [known, fresh] = devices_of_contexts_.try_emplace(context);
  if (!fresh) {
    return known->second;
  }
  if (driver().cuCtxPushCurrent(context) == CUDA_SUCCESS) {
    known->second = device_or_nothing();
    CUcontext popped = nullptr;
    driver().cuCtxPopCurrent(&popped);
  }
  if (known->second && handles_.find(*known->second) == handles_.end()) {
    handles_[*known->second] = handle_of(*known->second);
  }
  return known->second;
}

ClockReading DeviceMonitor::read_device(int number, NvmlDevice device) {
  const Nvml& api = nvml();
  // The clock first: it falls soon after the work is done.
  const auto sm_clock = as_int(ask<unsigned>(api.nvmlDeviceGetClockInfo, device, nvml_clock_sm));
  const auto reasons = ask<unsigned long long>(api.nvmlDeviceGetCurrentClocksEventReasons, device);
  const auto milliwatts = as_int(ask<unsigned>(api.nvmlDeviceGetPowerUsage, device));
  DeviceState& state = conditions_.devices.emplace_back();
  state.device = number;
  state.sm_clock_mhz = sm_clock;
  state.memory_clock_mhz = as_int(ask<unsigned>(api.nvmlDeviceGetClockInfo, device, nvml_clock_memory));
  state.temperature_celsius =
      as_int(ask<unsigned>(api.nvmlDeviceGetTemperature, device, nvml_temperature_gpu));
  if (milliwatts) {
    state.power_watts = *milliwatts / milliwatts_per_watt;
  }
  state.slowed_by = reasons_text(reasons.value_or(0));
  return {number, sm_clock, reasons, violation_ns(device, nvml_policy_thermal),
          violation_ns(device, nvml_policy_power)};
}

}  // namespace contextual::cuda
