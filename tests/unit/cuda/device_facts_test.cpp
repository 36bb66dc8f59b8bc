#include "support/catch.hpp"
#include "unit/cuda/tuning_support.hpp"

#include <contextual/cuda/device_facts.hpp>
#include <contextual/cuda/error.hpp>

namespace contextual::test::cuda_test::device_facts_test {

namespace {

bool near(const std::optional<double>& value, double expected) {
  return value && std::abs(*value - expected) <= 1e-9 * expected;
}

}  // namespace

TEST_CASE("device_peak: cycles, multiprocessors and the bus give an H200's rates") {
  ScriptedDriver gpu(2);
  const DevicePeak tensor = device_peak(ArithmeticUnit::tensor_cores_16_bit);
  CHECK(near(tensor.teraflops_per_second, 132 * 1.98e9 * 4096 / 1e12));
  CHECK(near(tensor.gigabytes_per_second, 4916.736));
  const DevicePeak fp32 = device_peak(ArithmeticUnit::cuda_cores_fp32, 1);
  CHECK(near(fp32.teraflops_per_second, 66.90816));
  CHECK(fp32.gigabytes_per_second == tensor.gigabytes_per_second);
}

TEST_CASE("device_peak: what is not known has no value") {
  ScriptedDriver gpu(2);
  gpu.device_attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 77;
  DevicePeak peak = device_peak(ArithmeticUnit::tensor_cores_16_bit);
  CHECK_FALSE(peak.teraflops_per_second);
  CHECK(peak.gigabytes_per_second);
  gpu.device_attributes[CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE] = 0;
  peak = device_peak(ArithmeticUnit::tensor_cores_16_bit);
  CHECK_FALSE(peak.gigabytes_per_second);
}

namespace {

/// Of tensor cores, as a data sheet has them: a device of so many multiprocessors at this clock.
std::optional<double> peak_of(const std::string& name, int capability, int processors, int clock_mhz) {
  ScriptedDriver& gpu = ScriptedDriver::it();
  gpu.device_name = name;
  gpu.device_attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = capability / 10;
  gpu.device_attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR] = capability % 10;
  gpu.device_attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = processors;
  gpu.device_attributes[CU_DEVICE_ATTRIBUTE_CLOCK_RATE] = 1'000 * clock_mhz;
  return device_peak(ArithmeticUnit::tensor_cores_16_bit).teraflops_per_second;
}

}  // namespace

TEST_CASE("device_peak: data sheets' dense tensor rates, accumulated in float, and none where none fits") {
  struct Row {
    std::string name;
    int capability;
    int processors;
    int clock_mhz;
    double teraflops_per_second;  ///< 0: not known
  };
  const ScriptedDriver gpu;
  for (const Row& row : {Row{"Tesla V100-SXM2-16GB", 70, 80, 1530, 125},
                         {"Tesla T4", 75, 40, 1590, 65},
                         {"NVIDIA TITAN RTX", 75, 72, 1770, 130},
                         {"NVIDIA GeForce RTX 2080 Ti", 75, 68, 1545, 53.8},
                         {"NVIDIA A100-SXM4-80GB", 80, 108, 1410, 312},
                         {"NVIDIA A40", 86, 84, 1740, 149.7},
                         {"NVIDIA GeForce RTX 3090", 86, 82, 1695, 71},
                         {"NVIDIA L40S", 89, 142, 2520, 362},
                         {"NVIDIA L40", 89, 142, 2490, 181},
                         {"NVIDIA GeForce RTX 4090", 89, 128, 2520, 165},
                         {"NVIDIA GeForce RTX 5090", 120, 170, 2407, 209.5},
                         {"NVIDIA H100 80GB HBM3", 90, 132, 1830, 989},
                         {"NVIDIA H200", 90, 132, 1980, 132 * 1.98e9 * 4096 / 1e12},
                         {"NVIDIA GeForce GTX 1660 Ti", 75, 24, 1770, 0},
                         {"NVIDIA GeForce MX450", 75, 14, 1575, 0},
                         {"NVIDIA T1000", 75, 14, 1395, 0},
                         {"NVIDIA H20", 90, 78, 1980, 0},
                         {"NVIDIA H20-3e", 90, 78, 1980, 0}}) {
    CAPTURE(row.name);
    const auto peak = peak_of(row.name, row.capability, row.processors, row.clock_mhz);
    CHECK(peak.value_or(0) == Approx(row.teraflops_per_second).epsilon(0.02));
    CHECK(device_peak(ArithmeticUnit::cuda_cores_fp32).teraflops_per_second);
  }
}

TEST_CASE("device_peak: a device that is not there, or none that is current, is refused") {
  ScriptedDriver gpu(2);
  CHECK_THROWS_AS(device_peak(ArithmeticUnit::cuda_cores_fp32, 2), InvalidArgument);
  CHECK_THROWS_AS(device_peak(ArithmeticUnit::cuda_cores_fp32, -1), InvalidArgument);
  gpu.set_current(nullptr);
  CHECK_THROWS_AS(device_peak(ArithmeticUnit::cuda_cores_fp32), InvalidArgument);
  CHECK(device_peak(ArithmeticUnit::cuda_cores_fp32, 0).teraflops_per_second);
}

TEST_CASE("add_code_metrics: registers, local memory and occupancy; the rest stays") {
  ScriptedDriver gpu(2);
  gpu.resident_blocks = 2;
  KernelMetrics metrics{.teraflops_per_second = 5};
  add_code_metrics(metrics, nullptr, {.block = {128, 3}, .dynamic_shared_bytes = 1000});
  CHECK(metrics.registers_per_thread == 168);
  CHECK(metrics.local_memory_bytes_per_thread == 24);
  CHECK(near(metrics.occupancy, 2 * 384 / 2048.0));
  CHECK(metrics.teraflops_per_second == 5.0);
  CHECK(gpu.asked_threads == 384);
  CHECK(gpu.asked_shared_bytes == 1000);
}

TEST_CASE("add_code_metrics: a part of a warp takes a warp's place") {
  ScriptedDriver gpu(2);
  gpu.resident_blocks = 32;
  KernelMetrics metrics;
  add_code_metrics(metrics, nullptr, {.block = {33}});
  CHECK(near(metrics.occupancy, 1));
}

TEST_CASE("add_code_metrics: clusters hold what fits the device, not what fits a multiprocessor") {
  ScriptedDriver gpu(2);
  gpu.resident_clusters = 15;  // of 8 blocks: 120 of the 132 multiprocessors
  KernelMetrics metrics;
  add_code_metrics(metrics, nullptr, {.grid = {3}, .block = {1024}, .cluster = {8}});
  CHECK(gpu.asked_cluster == 8);
  CHECK(near(metrics.occupancy, 15 * 8 * 1024 / (132 * 2048.0)));
}

TEST_CASE("add_code_metrics: an empty block, and a kernel that the driver does not know") {
  ScriptedDriver gpu;
  KernelMetrics metrics;
  CHECK_THROWS_AS(add_code_metrics(metrics, nullptr, {.block = {0}}), InvalidArgument);
  gpu.fails = [](const std::string& function) {
    return function == "cuFuncGetAttribute" ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  };
  CHECK_THROWS_AS(add_code_metrics(metrics, nullptr, {.block = {64}}), CudaError);
}

TEST_CASE("add_code_metrics: the function of a CudaKernel's config") {
  const ScriptedGpu scripted;
  Block block("facts_of_block");
  const CUfunction function = block.load(1);
  REQUIRE(function != nullptr);
  CHECK(block.load(1) == function);
  CHECK(block.load(2) != function);
  KernelMetrics metrics;
  add_code_metrics(metrics, function, {.block = {128}});
  CHECK(metrics.registers_per_thread.has_value());
  CHECK(metrics.occupancy.has_value());
}

}  // namespace contextual::test::cuda_test::device_facts_test
