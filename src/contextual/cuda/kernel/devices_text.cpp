#include "contextual/cuda/kernel/devices_text.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/kernel/device_kinds.hpp"
#include "contextual/cuda/kernel/device_limits.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/storage/machine.hpp>

#include <array>
#include <vector>

namespace contextual::cuda {

std::string device_text(CUdevice device) {
  std::array<char, 256> name{};
  CONTEXTUAL_CU(cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device));
  return std::string(name.data()) + " " +
         std::to_string(device_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) + "." +
         std::to_string(device_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)) + " " +
         std::to_string(device_attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
}

std::vector<CUdevice> visible_devices() {
  int count = 0;
  CONTEXTUAL_CU(cuDeviceGetCount(&count));
  std::vector<CUdevice> devices(static_cast<std::size_t>(count));
  for (std::size_t ordinal = 0; ordinal < devices.size(); ++ordinal) {
    CONTEXTUAL_CU(cuDeviceGet(&devices[ordinal], static_cast<int>(ordinal)));
  }
  return devices;
}

namespace {

int link_attribute(CUdevice_P2PAttribute which, CUdevice from, CUdevice to) {
  int value = 0;
  CONTEXTUAL_CU(cuDeviceGetP2PAttribute(&value, which, from, to));
  return value;
}

/// NVLink has atomics of its own, PCIe has none.
std::string link_text(CUdevice from, CUdevice to) {
  if (from == to) {
    return "-";
  }
  if (link_attribute(CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, from, to) == 0) {
    return "none";
  }
  const bool atomics = link_attribute(CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, from, to) != 0;
  return (atomics ? "atomics" : "access") +
         std::to_string(link_attribute(CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, from, to));
}

/// Returns the texts with `between` between them.
std::string joined(const std::vector<std::string>& texts, const char* between) {
  std::string all;
  for (const std::string& text : texts) {
    all.append(all.empty() ? "" : between).append(text);
  }
  return all;
}

}  // namespace

std::string devices_text() {
  std::vector<std::string> texts;
  for (const CUdevice device : visible_devices()) {
    texts.push_back(device_text(device));
  }
  return joined(texts, "; ");
}

std::string links_text() {
  const std::vector<CUdevice> devices = visible_devices();
  std::vector<std::string> rows;
  rows.reserve(devices.size());
  for (const CUdevice from : devices) {
    std::vector<std::string> row;
    row.reserve(devices.size());
    for (const CUdevice to : devices) {
      row.push_back(link_text(from, to));
    }
    rows.push_back(joined(row, " "));
  }
  return joined(rows, "; ");
}

std::string cuda_text() {
  return std::to_string(CUDA_VERSION);
}

std::string driver_text() {
  int version = 0;
  CONTEXTUAL_CU(cuDriverGetVersion(&version));
  return std::to_string(version);
}

void describe_devices() noexcept {
  try {
    detail::describe_machine("cuda", cuda_text);
    detail::describe_machine("devices", devices_text);
    detail::describe_machine("links", links_text);
    detail::describe_machine("device used first", first_kind_text);
    detail::describe_machine("driver", driver_text);
  } catch (...) {
    return;  // no memory while the program starts
  }
}

namespace {

[[maybe_unused]] const bool described = (describe_devices(), true);

}  // namespace

}  // namespace contextual::cuda
