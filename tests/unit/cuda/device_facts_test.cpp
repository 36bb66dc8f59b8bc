#include "contextual/cuda/api/driver.hpp"
#include "support/catch.hpp"
#include "unit/cuda/tuning_support.hpp"

#include <contextual/cuda/device_facts.hpp>
#include <contextual/cuda/error.hpp>
#include <contextual/error.hpp>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>

namespace device_facts_test {

using namespace contextual;
using contextual::cuda::Driver;
using contextual::cuda::DriverReplacement;

namespace {

/// A device whose answers are set by the test: an H200, and a kernel on it.
struct ScriptedDevice {
  static inline std::map<CUdevice_attribute, int> attributes;
  static inline std::string name;
  static inline int blocks = 0;
  static inline int clusters = 0;
  static inline unsigned asked_cluster = 0;
  static inline int asked_threads = 0;
  static inline std::size_t asked_shared = 0;
  static inline bool current = true;

  static Driver table() {
    attributes = {{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
                  {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
                  {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                  {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1'980'000},
                  {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3'201'000},
                  {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
                  {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
                  {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048}};
    name = "NVIDIA H200";
    blocks = 2;
    clusters = 0;
    current = true;
    Driver api;
    api.cuGetErrorName = [](CUresult, const char** text) {
      return *text = "CUDA_ERROR_INVALID_VALUE", CUDA_SUCCESS;
    };
    api.cuGetErrorString = [](CUresult, const char** text) {
      return *text = "invalid argument", CUDA_SUCCESS;
    };
    api.cuCtxGetCurrent = [](CUcontext* context) {
      *context = current ? reinterpret_cast<CUcontext>(&blocks) : nullptr;
      return CUDA_SUCCESS;
    };
    api.cuCtxGetDevice = [](CUdevice* device) { return *device = 0, CUDA_SUCCESS; };
    api.cuDeviceGetCount = [](int* count) { return *count = 2, CUDA_SUCCESS; };
    api.cuDeviceGet = [](CUdevice* device, int ordinal) { return *device = ordinal, CUDA_SUCCESS; };
    api.cuDeviceGetAttribute = [](int* value, CUdevice_attribute which, CUdevice) {
      *value = attributes[which];
      return CUDA_SUCCESS;
    };
    api.cuDeviceGetName = [](char* text, int length, CUdevice) {
      std::snprintf(text, static_cast<std::size_t>(length), "%s", name.c_str());
      return CUDA_SUCCESS;
    };
    api.cuOccupancyMaxActiveClusters = [](int* count, CUfunction, const CUlaunchConfig* config) {
      *count = clusters;
      asked_cluster = config->numAttrs == 1 ? config->attrs[0].value.clusterDim.x : 0;
      return config->gridDimX % asked_cluster == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE;
    };
    api.cuFuncGetAttribute = [](int* value, CUfunction_attribute which, CUfunction) {
      *value = which == CU_FUNC_ATTRIBUTE_NUM_REGS           ? 168
               : which == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES ? 24
                                                             : 0;
      return CUDA_SUCCESS;
    };
    api.cuOccupancyMaxActiveBlocksPerMultiprocessor = [](int* count, CUfunction, int threads,
                                                         std::size_t shared) {
      *count = blocks;
      asked_threads = threads;
      asked_shared = shared;
      return CUDA_SUCCESS;
    };
    return api;
  }
};

bool near(const std::optional<double>& value, double expected) {
  return value && std::abs(*value - expected) <= 1e-9 * expected;
}

}  // namespace

TEST_CASE("device_peak: cycles, multiprocessors and the bus give an H200's rates", "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  const DevicePeak tensor = device_peak(ArithmeticUnit::tensor_cores_16_bit);
  CHECK(near(tensor.teraflops_per_second, 132 * 1.98e9 * 4096 / 1e12));
  CHECK(near(tensor.gigabytes_per_second, 4916.736));
  const DevicePeak fp32 = device_peak(ArithmeticUnit::cuda_cores_fp32, 1);
  CHECK(near(fp32.teraflops_per_second, 66.90816));
  CHECK(fp32.gigabytes_per_second == tensor.gigabytes_per_second);
}

TEST_CASE("device_peak: what is not known has no value", "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  ScriptedDevice::attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 77;
  DevicePeak peak = device_peak(ArithmeticUnit::tensor_cores_16_bit);
  CHECK_FALSE(peak.teraflops_per_second);
  CHECK(peak.gigabytes_per_second);
  ScriptedDevice::attributes[CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE] = 0;
  peak = device_peak(ArithmeticUnit::tensor_cores_16_bit);
  CHECK_FALSE(peak.gigabytes_per_second);
}

namespace {

/// Of tensor cores, as a data sheet has them: a device of so many multiprocessors at this clock.
std::optional<double> peak_of(const std::string& name, int capability, int processors, int clock_mhz) {
  ScriptedDevice::name = name;
  ScriptedDevice::attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = capability / 10;
  ScriptedDevice::attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR] = capability % 10;
  ScriptedDevice::attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = processors;
  ScriptedDevice::attributes[CU_DEVICE_ATTRIBUTE_CLOCK_RATE] = 1'000 * clock_mhz;
  return device_peak(ArithmeticUnit::tensor_cores_16_bit).teraflops_per_second;
}

bool about(const std::optional<double>& value, double expected) {
  return value && std::abs(*value - expected) <= 0.02 * expected;
}

}  // namespace

TEST_CASE("device_peak: data sheets' dense tensor rates, accumulated in float", "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  CHECK(about(peak_of("Tesla V100-SXM2-16GB", 70, 80, 1530), 125));
  CHECK(about(peak_of("Tesla T4", 75, 40, 1590), 65));
  CHECK(about(peak_of("NVIDIA TITAN RTX", 75, 72, 1770), 130));
  CHECK(about(peak_of("NVIDIA GeForce RTX 2080 Ti", 75, 68, 1545), 53.8));
  CHECK(about(peak_of("NVIDIA A100-SXM4-80GB", 80, 108, 1410), 312));
  CHECK(about(peak_of("NVIDIA A40", 86, 84, 1740), 149.7));
  CHECK(about(peak_of("NVIDIA GeForce RTX 3090", 86, 82, 1695), 71));
  CHECK(about(peak_of("NVIDIA L40S", 89, 142, 2520), 362));
  CHECK(about(peak_of("NVIDIA L40", 89, 142, 2490), 181));
  CHECK(about(peak_of("NVIDIA GeForce RTX 4090", 89, 128, 2520), 165));
  CHECK(about(peak_of("NVIDIA GeForce RTX 5090", 120, 170, 2407), 209.5));
  CHECK(about(peak_of("NVIDIA H100 80GB HBM3", 90, 132, 1830), 989));
}

TEST_CASE("device_peak: without tensor cores, and where no data sheet fits, there is no value", "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  CHECK_FALSE(peak_of("NVIDIA GeForce GTX 1660 Ti", 75, 24, 1770));
  CHECK_FALSE(peak_of("NVIDIA GeForce MX450", 75, 14, 1575));
  CHECK_FALSE(peak_of("NVIDIA T1000", 75, 14, 1395));
  CHECK_FALSE(peak_of("NVIDIA H20", 90, 78, 1980));
  CHECK_FALSE(peak_of("NVIDIA H20-3e", 90, 78, 1980));
  CHECK(device_peak(ArithmeticUnit::cuda_cores_fp32).teraflops_per_second);
  CHECK(peak_of("NVIDIA H200", 90, 132, 1980));
}

TEST_CASE("device_peak: a device that is not there, or none that is current, is refused", "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  CHECK_THROWS_AS(device_peak(ArithmeticUnit::cuda_cores_fp32, 2), InvalidArgument);
  CHECK_THROWS_AS(device_peak(ArithmeticUnit::cuda_cores_fp32, -1), InvalidArgument);
  ScriptedDevice::current = false;
  CHECK_THROWS_AS(device_peak(ArithmeticUnit::cuda_cores_fp32), InvalidArgument);
  CHECK(device_peak(ArithmeticUnit::cuda_cores_fp32, 0).teraflops_per_second);
}

TEST_CASE("add_code_metrics: registers, local memory and occupancy; the rest stays", "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  KernelMetrics metrics;
  metrics.teraflops_per_second = 5;
  add_code_metrics(metrics, nullptr, {.block = {128, 3}, .dynamic_shared_bytes = 1000});
  CHECK(metrics.registers_per_thread == 168);
  CHECK(metrics.local_memory_bytes_per_thread == 24);
  CHECK(near(metrics.occupancy, 2 * 384 / 2048.0));
  CHECK(metrics.teraflops_per_second == 5.0);
  CHECK(ScriptedDevice::asked_threads == 384);
  CHECK(ScriptedDevice::asked_shared == 1000);
}

TEST_CASE("add_code_metrics: a part of a warp takes a warp's place", "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  ScriptedDevice::blocks = 32;
  KernelMetrics metrics;
  add_code_metrics(metrics, nullptr, {.block = {33}});
  CHECK(near(metrics.occupancy, 1));
}

TEST_CASE("add_code_metrics: clusters hold what fits the device, not what fits a multiprocessor", "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  ScriptedDevice::clusters = 15;  // of 8 blocks: 120 of the 132 multiprocessors
  KernelMetrics metrics;
  add_code_metrics(metrics, nullptr, {.grid = {3}, .block = {1024}, .cluster = {8}});
  CHECK(ScriptedDevice::asked_cluster == 8);
  CHECK(near(metrics.occupancy, 15 * 8 * 1024 / (132 * 2048.0)));
}

TEST_CASE("add_code_metrics: an empty block, and a kernel that the driver does not know", "[unit]") {
  Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  KernelMetrics metrics;
  CHECK_THROWS_AS(add_code_metrics(metrics, nullptr, {.block = {0}}), InvalidArgument);
  api.cuFuncGetAttribute = [](int*, CUfunction_attribute, CUfunction) { return CUDA_ERROR_INVALID_VALUE; };
  CHECK_THROWS_AS(add_code_metrics(metrics, nullptr, {.block = {64}}), CudaError);
}

TEST_CASE("add_code_metrics: the function of a CudaKernel's config", "[unit]") {
  const cuda_test::ScriptedGpu gpu;
  cuda_test::Block block("facts_of_block");
  const CUfunction function = block.load(1);
  REQUIRE(function != nullptr);
  CHECK(block.load(1) == function);
  CHECK(block.load(2) != function);
  KernelMetrics metrics;
  add_code_metrics(metrics, function, {.block = {128}});
  CHECK(metrics.registers_per_thread.has_value());
  CHECK(metrics.occupancy.has_value());
}

}  // namespace device_facts_test
