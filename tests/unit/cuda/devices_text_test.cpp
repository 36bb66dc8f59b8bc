#include "contextual/cuda/kernel/devices_text.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/kernel/device_kinds.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"

#include <contextual/detail/launch/device_kind.hpp>
#include <contextual/detail/storage/machine.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace devices_text_test {

using namespace contextual;

namespace {

CUdevice current = -1;

/// Two devices and a slice of a third one: 0 and 1 by NVLink, 0 and 2 by PCIe, 1 and 2 not at all.
cuda::Driver three_devices() {
  cuda::Driver api;
  api.cuDeviceGetCount = [](int* count) { return *count = 3, CUDA_SUCCESS; };
  api.cuDeviceGet = [](CUdevice* device, int ordinal) { return *device = ordinal, CUDA_SUCCESS; };
  api.cuDriverGetVersion = [](int* version) { return *version = 13000, CUDA_SUCCESS; };
  api.cuDeviceGetName = [](char* name, int length, CUdevice device) {
    std::snprintf(name, static_cast<std::size_t>(length), device == 2 ? "H MIG 1g.10gb" : "H");
    return CUDA_SUCCESS;
  };
  api.cuDeviceGetAttribute = [](int* value, CUdevice_attribute which, CUdevice device) {
    *value = which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT       ? (device == 2 ? 16 : 132)
             : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
                                                                     : 0;
    return CUDA_SUCCESS;
  };
  api.cuCtxGetDevice = [](CUdevice* device) {
    return *device = current, current < 0 ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
  };
  api.cuDeviceGetP2PAttribute = [](int* value, CUdevice_P2PAttribute which, CUdevice from, CUdevice to) {
    const bool linked = from + to == 1;
    *value = which == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED          ? (from + to < 3 ? 1 : 0)
             : which == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED ? (linked ? 1 : 0)
                                                                        : (linked ? 0 : 2);
    return CUDA_SUCCESS;
  };
  return api;
}

}  // namespace

TEST_CASE("devices_text: kinds, capabilities and links of what this process sees, and no bus", "[unit]") {
  const cuda::Driver api = three_devices();
  const cuda::DriverReplacement replacement(api);
  CHECK(cuda::devices_text() == "H 9.0 132; H 9.0 132; H MIG 1g.10gb 9.0 16");
  CHECK(cuda::links_text() == "- atomics0 access2; atomics0 - none; access2 none -");
  cuda::describe_devices();
  const std::string text = detail::machine_text();
  CHECK_THAT(text, ContainsSubstring("cuda: " + std::to_string(CUDA_VERSION) + "\n") &&
                       ContainsSubstring("\ndevices: H 9.0 132; ") &&
                       ContainsSubstring("\ndriver: 13000\n") && ContainsSubstring("\nlinks: - atomics0 "));
  const std::string kept = detail::without_versions(text);
  CHECK_THAT(kept, ContainsSubstring("devices: ") && ContainsSubstring("links: "));
  CHECK(kept.find("cuda: ") == std::string::npos);
}

TEST_CASE("device kinds: launches on devices of two kinds have two choices, on two of one kind one",
          "[unit]") {
  const cuda::Driver api = three_devices();
  const cuda::DriverReplacement replacement(api);
  CHECK(cuda::first_kind_text() == "H 9.0 132");  // of device 0, for there is no current one
  engine_test::Block used;
  TunableKernel<void(const engine_test::Block&)> kernel{
      "kinds_of_cuda", engine_test::blocks(3), single_problem,
      [&](const engine_test::Block& block) { used = block; }};
  ContextualAutotuner tuner(engine_test::quick(engine_test::times([](const LaunchInfo& launch) {
    return launch.config_id == (current == 2 ? 2U : 1U) ? std::int64_t{1000} : 5000;
  })));
  std::vector<int> configs(3);
  const auto region = [&] {
    for (current = 0; current < 3; ++current) {
      kernel();
      configs[static_cast<std::size_t>(current)] = used.block;
    }
    current = -1;
  };
  tuner.run("kinds of CUDA", region);
  CHECK(configs == std::vector<int>{1, 1, 2});
  region();
  CHECK(configs == std::vector<int>{1, 1, 2});
  CHECK(
      engine_test::problem_of(tuner, "kinds of CUDA", "kinds_of_cuda", "() on H MIG 1g.10gb 9.0 16").choice ==
      2U);
  detail::set_device_kinds(nullptr);
}

}  // namespace devices_text_test
