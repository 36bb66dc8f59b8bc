#include "contextual/cuda/timing/device_monitor.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "scripted_nvml.hpp"
#include "support/catch.hpp"

#include <cstdio>

namespace contextual::cuda::device_monitor_test {

namespace {

CUcontext context_at(std::uintptr_t number) {
  return reinterpret_cast<CUcontext>(number);
}

/// Contexts 1 and 2 are on device 0, context 3 is on device 5, which NVML does not know.
struct ScriptedContexts {
  static inline CUcontext current = nullptr;

  static Driver table() {
    current = nullptr;
    Driver api;
    api.cuCtxGetCurrent = [](CUcontext* context) { return *context = current, CUDA_SUCCESS; };
    api.cuCtxPushCurrent = [](CUcontext context) { return current = context, CUDA_SUCCESS; };
    api.cuCtxPopCurrent = [](CUcontext* context) {
      *context = current;
      current = nullptr;
      return CUDA_SUCCESS;
    };
    api.cuCtxGetDevice = [](CUdevice* device) {
      *device = current == context_at(3) ? 5 : 0;
      return CUDA_SUCCESS;
    };
    api.cuDeviceGetPCIBusId = [](char* text, int length, CUdevice device) {
      std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", device == 0 ? 0x18 : 0x99);
      return CUDA_SUCCESS;
    };
    return api;
  }
};

struct Scripted {
  Driver driver_table = ScriptedContexts::table();
  Nvml nvml_table = ScriptedNvml::table();
  DriverReplacement driver{driver_table};
  ScriptedTime time;
};

}  // namespace

TEST_CASE("nvml: where it cannot be had it says why, and has no functions") {
  const Nvml& api = nvml();
  CHECK(nvml_problem().empty() == (api.nvmlInit_v2 != nullptr));
  CHECK((nvml_problem().empty() || api.nvmlDeviceGetClockInfo == nullptr));
}

TEST_CASE("device monitor: a device of several contexts is read once, with all its values") {
  const Scripted scripted;
  const NvmlReplacement replaced(scripted.nvml_table);
  ScriptedNvml::reasons = clock_reason::power_cap | clock_reason::idle;
  DeviceMonitor monitor;
  monitor.read({context_at(1), context_at(2), context_at(3)});
  const BatchConditions& conditions = monitor.conditions();
  REQUIRE(conditions.devices.size() == 1);
  CHECK(conditions.devices[0].device == 0);
  CHECK(conditions.devices[0].sm_clock_mhz == 1980);
  CHECK(conditions.devices[0].memory_clock_mhz == 2619);
  CHECK(conditions.devices[0].temperature_celsius == 41);
  CHECK(conditions.devices[0].power_watts == 350);
  CHECK(conditions.devices[0].slowed_by == "power cap");
  CHECK(conditions.warnings.size() == 1);
  CHECK(ScriptedContexts::current == nullptr);
}

TEST_CASE("device monitor: a slowdown is told as the disturbance of its batch only") {
  const Scripted scripted;
  const NvmlReplacement replaced(scripted.nvml_table);
  DeviceMonitor monitor;
  monitor.read({context_at(1)});
  CHECK(monitor.conditions().disturbance.empty());
  ScriptedNvml::thermal_ns = 1000;
  monitor.read({context_at(1)});
  CHECK_THAT(monitor.conditions().disturbance, ContainsSubstring("device 0 is slowed down by thermal"));
  monitor.read({context_at(1)});
  CHECK(monitor.conditions().disturbance.empty());
}

TEST_CASE("device monitor: functions that NVML lacks leave values out") {
  Scripted scripted;
  scripted.nvml_table.nvmlDeviceGetPowerUsage = nullptr;
  scripted.nvml_table.nvmlDeviceGetViolationStatus = nullptr;
  scripted.nvml_table.nvmlDeviceGetCurrentClocksEventReasons = nullptr;
  scripted.nvml_table.nvmlDeviceGetTemperature = [](NvmlDevice, int, unsigned*) { return 3; };
  const NvmlReplacement replaced(scripted.nvml_table);
  DeviceMonitor monitor;
  monitor.read({context_at(1)});
  REQUIRE(monitor.conditions().devices.size() == 1);
  const DeviceState& state = monitor.conditions().devices[0];
  CHECK(state.sm_clock_mhz == 1980);
  CHECK_FALSE(state.power_watts);
  CHECK_FALSE(state.temperature_celsius);
  CHECK(state.slowed_by.empty());
}

TEST_CASE("device monitor: without NVML it reads and says nothing") {
  const Scripted scripted;
  const Nvml absent;
  const NvmlReplacement replaced(absent);
  DeviceMonitor monitor;
  monitor.read({context_at(1)});
  CHECK(monitor.conditions().devices.empty());
  CHECK(monitor.conditions().disturbance.empty());
  CHECK(monitor.conditions().warnings.empty());
}

TEST_CASE("device monitor: an expensive reading is not taken again at once, and leaves no old conditions") {
  const Scripted scripted;
  const NvmlReplacement replaced(scripted.nvml_table);
  ScriptedNvml::slow = std::chrono::milliseconds(20);
  DeviceMonitor monitor;
  monitor.read({context_at(1)});
  CHECK(monitor.conditions().devices.size() == 1);
  const int reads = ScriptedNvml::clock_reads;
  monitor.read({context_at(1)});
  CHECK(ScriptedNvml::clock_reads == reads);
  CHECK(monitor.conditions().devices.empty());
  ScriptedTime::now += std::chrono::seconds(2);
  monitor.read({context_at(1)});
  CHECK(monitor.conditions().devices.size() == 1);
}

}  // namespace contextual::cuda::device_monitor_test
