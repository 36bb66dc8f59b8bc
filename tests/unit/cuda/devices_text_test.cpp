#include "contextual/cuda/kernel/devices_text.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/kernel/device_kinds.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"

#include <contextual/detail/launch/device_check.hpp>
#include <contextual/detail/storage/machine.hpp>

#include <cstdio>

namespace contextual::devices_text_test {

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

TEST_CASE("devices_text: kinds, capabilities and links of what this process sees, and no bus") {
  const cuda::Driver api = three_devices();
  const cuda::DriverReplacement replacement(api);
  CHECK(cuda::devices_text() == "H 9.0 132; H 9.0 132; H MIG 1g.10gb 9.0 16");
  CHECK(cuda::links_text() == "- atomics0 access2; atomics0 - none; access2 none -");
  cuda::describe_devices();
  const detail::Machine machine = detail::this_machine();
  CHECK(machine.at("cuda") == std::to_string(CUDA_VERSION));
  CHECK(machine.at("devices") == cuda::devices_text());
  CHECK(machine.at("driver") == "13000");
  CHECK(machine.at("links") == cuda::links_text());
  const detail::Machine kept = detail::without_versions(machine);
  CHECK((kept.contains("devices") && kept.contains("links")));
  CHECK_FALSE(kept.contains("cuda"));
}

TEST_CASE("device kinds: launches are on devices of the kind that was used first, and throw on another one") {
  const cuda::Driver api = three_devices();
  const cuda::DriverReplacement replacement(api);
  CHECK(cuda::first_kind_text() == "H 9.0 132");  // of device 0, for there is no current one
  int used = 0;
  TunableKernel<void(const test::Block&)> kernel{"kinds_of_cuda", test::blocks(3), single_problem,
                                                 [&](const test::Block& block) { used = block.block; }};
  ContextualAutotuner tuner(test::quick());
  for (current = 0; current < 2; ++current) {
    tuner.run("kinds of CUDA", [&] { kernel(); });
    CHECK(used == 2);
  }
  const std::string text = test::error_text<InvalidArgument>([&] { kernel(); });
  CHECK_THAT(text,
             ContainsSubstring("\"kinds_of_cuda\" is not launched: the current device is \"H MIG 1g.10gb "
                               "9.0 16\", but this process uses \"H 9.0 132\""));
  CHECK(test::error_text<InvalidArgument>([&] { tuner.run("kinds of CUDA", [&] { kernel(); }); }) == text);
  current = -1;  // as where the program has not touched CUDA
  kernel();
  detail::set_device_check(nullptr);
}

}  // namespace contextual::devices_text_test
