#include "contextual/cuda/kernel/device_limits.hpp"

#include "support/catch.hpp"
#include "unit/cuda/scripted_driver.hpp"

namespace contextual::cuda::device_limits_test {

namespace {

std::string problem(const CudaLayout& layout) {
  return layout_problem(
      nullptr, layout,
      DeviceLimits{
          .compute_capability = 90, .shared_bytes_per_block = 227 * 1024, .threads_per_block = 1024});
}

}  // namespace

TEST_CASE("layout: what fits has no problem, and raises the limit of shared memory as far as it needs") {
  test::cuda_test::ScriptedDriver gpu;
  CHECK(problem({.grid = {132}, .block = {384}}).empty());
  CHECK(gpu.function_attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] == 48 * 1024);
  CHECK(problem({.grid = {132}, .block = {384}, .dynamic_shared_bytes = 200 * 1024}).empty());
  CHECK(gpu.function_attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] == 200 * 1024);
}

TEST_CASE(
    "layout: threads, registers, shared memory, grid, occupancy and clusters that do not fit are told") {
  test::cuda_test::ScriptedDriver gpu;
  CHECK_THAT(problem({.block = {2048}}), ContainsSubstring("2048 threads"));
  CHECK_THAT(problem({.block = {0}}), ContainsSubstring("0 threads"));
  CHECK_THAT(problem({.grid = {0}, .block = {128}}), ContainsSubstring("an empty grid"));
  gpu.function_attributes[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = 256;
  CHECK_THAT(problem({.block = {512}}), ContainsSubstring("168 registers this kernel can have 256"));
  gpu.function_attributes[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = 30 * 1024;
  CHECK_THAT(problem({.block = {128}, .dynamic_shared_bytes = 200 * 1024}),
             ContainsSubstring("204800 + 30720 bytes of shared memory; the device has 232448"));
  gpu.function_attributes[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = 0;
  CHECK_THAT(problem({.grid = {3}, .block = {128}, .cluster = {2}}),
             ContainsSubstring("no multiple of the cluster"));
  gpu.resident_clusters = 0;
  CHECK_THAT(problem({.grid = {4}, .block = {128}, .cluster = {2}}),
             ContainsSubstring("no cluster of 2 blocks"));
  gpu.resident_blocks = 0;
  CHECK_THAT(problem({.block = {128}}), ContainsSubstring("no block fits"));
}

TEST_CASE("layout_problem: a grid or block beyond the device's in one direction is named with its limit") {
  test::cuda_test::ScriptedDriver gpu;
  CHECK(problem({.grid = {1, 65536}, .block = {32}}) ==
        "a grid of 1 x 65536 x 1 blocks; the device has at most 2147483647 x 65535 x 65535");
  CHECK(problem({.grid = {1}, .block = {1, 1, 65}}) ==
        "a block of 1 x 1 x 65 threads; the device has at most 1024 x 1024 x 64");
  CHECK(problem({.grid = {65536, 65535, 65535}, .block = {1, 1, 64}}).empty());
}

}  // namespace contextual::cuda::device_limits_test
