#include "cuda_device_load.hpp"

#include "cuda_common.hpp"

#include <dlfcn.h>

#include <cmath>

namespace contextual::benchmarks {

DeviceLoad::DeviceLoad() {
  void* const nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);  // stays for the process
  if (nvml == nullptr) {
    return;
  }
  const auto init = reinterpret_cast<int (*)()>(dlsym(nvml, "nvmlInit_v2"));
  const auto handle =
      reinterpret_cast<int (*)(const char*, void**)>(dlsym(nvml, "nvmlDeviceGetHandleByPciBusId_v2"));
  clock_info_ = reinterpret_cast<decltype(clock_info_)>(dlsym(nvml, "nvmlDeviceGetClockInfo"));
  power_usage_ = reinterpret_cast<decltype(power_usage_)>(dlsym(nvml, "nvmlDeviceGetPowerUsage"));
  int device = 0;
  char bus[32] = {};
  CONTEXTUAL_CHECKED(cudaGetDevice(&device));
  CONTEXTUAL_CHECKED(cudaDeviceGetPCIBusId(bus, sizeof(bus), device));
  if (init == nullptr || handle == nullptr || clock_info_ == nullptr || power_usage_ == nullptr ||
      init() != 0 || handle(bus, &device_) != 0) {
    device_ = nullptr;
  }
}

void DeviceLoad::sample() {
  constexpr int sm_clock = 1;  // NVML_CLOCK_SM
  unsigned mhz = 0;
  unsigned milliwatts = 0;
  if (device_ != nullptr && clock_info_(device_, sm_clock, &mhz) == 0 &&
      power_usage_(device_, &milliwatts) == 0) {
    mhz_.push_back(mhz);
    watts_.push_back(milliwatts / 1e3);
  }
}

std::string DeviceLoad::text() const {
  if (mhz_.empty()) {
    return "clock unknown";
  }
  return std::to_string(std::lround(median(mhz_))) + " MHz, " + std::to_string(std::lround(median(watts_))) +
         " W";
}

}  // namespace contextual::benchmarks
