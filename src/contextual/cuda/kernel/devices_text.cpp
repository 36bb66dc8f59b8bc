#include "contextual/cuda/kernel/devices_text.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/kernel/device_limits.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/storage/machine.hpp>

#include <array>

namespace contextual::cuda {
namespace {

/// A slice of a divided device has a name and a number of multiprocessors of its own.
std::string device_text(CUdevice device) {
  std::array<char, 256> name{};
  CONTEXTUAL_CU(cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device));
  return std::string(name.data()) + " " +
         std::to_string(device_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) + "." +
         std::to_string(device_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)) + " " +
         std::to_string(device_attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
}

}  // namespace

std::string devices_text() {
  int count = 0;
  CONTEXTUAL_CU(cuDeviceGetCount(&count));
  std::string text;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = 0;
    CONTEXTUAL_CU(cuDeviceGet(&device, ordinal));
    text += (text.empty() ? "" : "; ") + device_text(device);
  }
  return text;
}

std::string driver_text() {
  int version = 0;
  CONTEXTUAL_CU(cuDriverGetVersion(&version));
  return std::to_string(version);
}

void describe_devices() noexcept {
  try {
    detail::describe_machine("devices", devices_text);
    detail::describe_machine("driver", driver_text);
  } catch (...) {
    return;  // no memory while the program starts
  }
}

namespace {

[[maybe_unused]] const bool described = (describe_devices(), true);

}  // namespace

}  // namespace contextual::cuda
