#pragma once

/// \file
/// How fast and how hot a GPU works while something is measured.

#include <string>
#include <vector>

namespace contextual::benchmarks {

/// Samples the current device's SM clock and power by NVML, if the machine has it.
class DeviceLoad {
 public:
  DeviceLoad();

  void sample();
  /// Returns e.g. "1605 MHz, 640 W", medians of the samples; without NVML "clock unknown".
  std::string text() const;

 private:
  void* device_ = nullptr;
  int (*clock_info_)(void* device, int clock, unsigned* mhz) = nullptr;
  int (*power_usage_)(void* device, unsigned* milliwatts) = nullptr;
  std::vector<double> mhz_;
  std::vector<double> watts_;
};

}  // namespace contextual::benchmarks
