#include "contextual/cuda/kernel/device_limits.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "support/catch.hpp"

namespace device_limits_test {

using namespace contextual;
using namespace contextual::cuda;

namespace {

/// A device whose answers are set by the test.
struct ScriptedDevice {
  static inline int most_threads = 1024;
  static inline int fixed_shared = 0;
  static inline int shared_limit = 48 * 1024;
  static inline int blocks = 1;
  static inline int clusters = 1;

  static Driver table() {
    most_threads = 1024;
    fixed_shared = 0;
    shared_limit = 48 * 1024;
    blocks = clusters = 1;
    Driver api;
    api.cuGetErrorName = [](CUresult, const char** text) {
      return *text = "CUDA_ERROR_INVALID_VALUE", CUDA_SUCCESS;
    };
    api.cuGetErrorString = [](CUresult, const char** text) {
      return *text = "invalid argument", CUDA_SUCCESS;
    };
    api.cuFuncGetAttribute = [](int* value, CUfunction_attribute which, CUfunction) {
      *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK           ? most_threads
               : which == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES             ? fixed_shared
               : which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? shared_limit
                                                                          : 168;
      return CUDA_SUCCESS;
    };
    api.cuFuncSetAttribute = [](CUfunction, CUfunction_attribute which, int value) {
      if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        shared_limit = value;
      }
      return CUDA_SUCCESS;
    };
    api.cuOccupancyMaxActiveBlocksPerMultiprocessor = [](int* count, CUfunction, int, std::size_t) {
      *count = blocks;
      return CUDA_SUCCESS;
    };
    api.cuOccupancyMaxActiveClusters = [](int* count, CUfunction, const CUlaunchConfig*) {
      *count = clusters;
      return CUDA_SUCCESS;
    };
    return api;
  }
};

std::string problem(const CudaLayout& layout) {
  return layout_problem(
      nullptr, layout,
      DeviceLimits{
          .compute_capability = 90, .shared_bytes_per_block = 227 * 1024, .threads_per_block = 1024});
}

}  // namespace

TEST_CASE("layout: what fits has no problem, and raises the limit of shared memory as far as it needs",
          "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  CHECK(problem({.grid = {132}, .block = {384}}).empty());
  CHECK(ScriptedDevice::shared_limit == 48 * 1024);
  CHECK(problem({.grid = {132}, .block = {384}, .dynamic_shared_bytes = 200 * 1024}).empty());
  CHECK(ScriptedDevice::shared_limit == 200 * 1024);
}

TEST_CASE("layout: threads, registers, shared memory, grid, occupancy and clusters that do not fit are told",
          "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  CHECK_THAT(problem({.block = {2048}}), ContainsSubstring("2048 threads"));
  CHECK_THAT(problem({.block = {0}}), ContainsSubstring("0 threads"));
  CHECK_THAT(problem({.grid = {0}, .block = {128}}), ContainsSubstring("an empty grid"));
  ScriptedDevice::most_threads = 256;
  CHECK_THAT(problem({.block = {512}}), ContainsSubstring("168 registers this kernel can have 256"));
  ScriptedDevice::fixed_shared = 30 * 1024;
  CHECK_THAT(problem({.block = {128}, .dynamic_shared_bytes = 200 * 1024}),
             ContainsSubstring("204800 + 30720 bytes of shared memory; the device has 232448"));
  ScriptedDevice::fixed_shared = 0;
  CHECK_THAT(problem({.grid = {3}, .block = {128}, .cluster = {2}}),
             ContainsSubstring("no multiple of the cluster"));
  ScriptedDevice::clusters = 0;
  CHECK_THAT(problem({.grid = {4}, .block = {128}, .cluster = {2}}),
             ContainsSubstring("no cluster of 2 blocks"));
  ScriptedDevice::blocks = 0;
  CHECK_THAT(problem({.block = {128}}), ContainsSubstring("no block fits"));
}

TEST_CASE("layout_problem: a grid or block beyond the device's in one direction is named with its limit",
          "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  CHECK(problem({.grid = {1, 65536}, .block = {32}}) ==
        "a grid of 1 x 65536 x 1 blocks; the device has at most 2147483647 x 65535 x 65535");
  CHECK(problem({.grid = {1}, .block = {1, 1, 65}}) ==
        "a block of 1 x 1 x 65 threads; the device has at most 1024 x 1024 x 64");
  CHECK(problem({.grid = {65536, 65535, 65535}, .block = {1, 1, 64}}).empty());
}

}  // namespace device_limits_test
