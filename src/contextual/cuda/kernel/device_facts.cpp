#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/kernel/device_limits.hpp"

#include <contextual/cuda/device_facts.hpp>
#include <contextual/detail/cuda/cuda_launch_config.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace contextual {
namespace {

using namespace cuda;

/// Operations of one multiprocessor in one clock cycle; a fused multiply-add counts as two.
struct Throughput {
  int compute_capability;  ///< 90 for 9.0
  int fp32;                ///< 2 x the cores for float
  int tensor_16_bit;       ///< dense, accumulated in float
};

/// float: "Arithmetic Instructions" in the CUDA C++ programming guide, twice the results for each cycle.
/// Tensor cores: the dense rates of NVIDIA's data sheets, divided by their clock and multiprocessors: V100
/// 125 TFLOP/s, T4 65, A100 312, A40 150, L40S 362, H100 SXM 989, B200 2250, RTX PRO 6000 Blackwell 504.
/// tensor_share has the devices that are slower than their generation.
constexpr std::array throughputs{
    Throughput{70, 128, 1024},  Throughput{75, 128, 1024},  Throughput{80, 128, 2048},
    Throughput{86, 256, 1024},  Throughput{89, 256, 1024},  Throughput{90, 256, 4096},
    Throughput{100, 256, 8192}, Throughput{120, 256, 1024},
};

constexpr double hertz_per_kilohertz = 1e3;
constexpr double giga = 1e9;
constexpr double tera = 1e12;
constexpr int bits_per_byte = 8;
constexpr int transfers_per_cycle = 2;

CUdevice device_of(std::optional<int> ordinal) {
  if (!ordinal) {
    CUcontext context = nullptr;
    CONTEXTUAL_CU(cuCtxGetCurrent(&context));
    if (context == nullptr) {
      throw InvalidArgument(
          "no CUDA device is current on this thread: call cudaSetDevice first, or say which device is meant");
    }
    return current_device();
  }
  int count = 0;
  CONTEXTUAL_CU(cuDeviceGetCount(&count));
  if (*ordinal < 0 || *ordinal >= count) {
    throw InvalidArgument("there is no CUDA device " + std::to_string(*ordinal) + ": this process sees " +
                          std::to_string(count));
  }
  CUdevice device = 0;
  CONTEXTUAL_CU(cuDeviceGet(&device, *ordinal));
  return device;
}

/// Returns true if one of the words of a device's name is this one, which may be followed by a hyphen.
bool is_named(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || name[at - 1] == ' ') && (end == name.size() || name[end] == ' ' || name[end] == '-')) {
      return true;
    }
  }
  return false;
}

/// The share of its generation's tensor rate that a device has, by NVIDIA's data sheets and white papers; 0
/// if it is not known or if it has no tensor cores.
double tensor_share(std::string_view name, int compute_capability) {
  if (compute_capability == 75 && !is_named(name, "RTX") && !is_named(name, "T4")) {
    return 0;  // GTX 16xx, MX450, T1000: no tensor cores
  }
  if (is_named(name, "H20")) {
    return 0;  // 148 TFLOP/s: no simple share
  }
  // Accumulated in float: RTX 2080 Ti 54 TFLOP/s, RTX 3090 71, RTX 4090 165, RTX 5090 209, L40 181, L20 120.
  const bool half = is_named(name, "GeForce") || is_named(name, "L40") || is_named(name, "L20");
  return half ? 0.5 : 1;
}

std::string name_of_device(CUdevice device) {
  std::array<char, 256> name{};
  CONTEXTUAL_CU(cuDeviceGetName(name.data(), static_cast<int>(name.size()), device));
  return name.data();
}

/// 0 if it is not known.
double operations_per_cycle(CUdevice device, ArithmeticUnit unit) {
  const int capability = DeviceLimits::of(device).compute_capability;
  const auto known = std::find_if(throughputs.begin(), throughputs.end(), [&](const Throughput& throughput) {
    return throughput.compute_capability == capability;
  });
  if (known == throughputs.end()) {
    return 0;
  }
  return unit == ArithmeticUnit::cuda_cores_fp32
             ? known->fp32
             : known->tensor_16_bit * tensor_share(name_of_device(device), capability);
}

std::optional<double> unless_zero(double rate) {
  return rate > 0 ? std::optional(rate) : std::nullopt;
}

int function_attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  CONTEXTUAL_CU(cuFuncGetAttribute(&value, which, function));
  return value;
}

/// The blocks of the layout that all multiprocessors together hold at a time.
double blocks_on_device(CUfunction function, const CudaLayout& layout, int threads, unsigned processors) {
  const CudaDim& cluster = layout.cluster;
  const unsigned cluster_blocks = cluster.x * cluster.y * cluster.z;
  int count = 0;
  if (cluster_blocks <= 1) {
    CONTEXTUAL_CU(
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, function, threads, layout.dynamic_shared_bytes));
    return static_cast<double>(count) * processors;
  }
  CudaLayout of_many = layout;  // any grid of whole clusters will do
  of_many.grid = {cluster.x * processors, cluster.y, cluster.z};
  const detail::CudaLaunchConfig launch(of_many, nullptr);
  CONTEXTUAL_CU(cuOccupancyMaxActiveClusters(&count, function, launch.get()));
  return static_cast<double>(count) * cluster_blocks;
}

}  // namespace

DevicePeak device_peak(ArithmeticUnit unit, std::optional<int> device) {
  const CUdevice of = device_of(device);
  const auto attribute = [&](CUdevice_attribute which) {
    return static_cast<double>(device_attribute(of, which));
  };
  DevicePeak peak;
  peak.teraflops_per_second =
      unless_zero(operations_per_cycle(of, unit) * attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *
                  attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * hertz_per_kilohertz / tera);
  peak.gigabytes_per_second = unless_zero(
      attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * hertz_per_kilohertz * transfers_per_cycle *
      attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / bits_per_byte / giga);
  return peak;
}

void add_code_metrics(KernelMetrics& metrics, CUfunction function, const CudaLayout& layout) {
  const std::uint64_t threads = std::uint64_t{layout.block.x} * layout.block.y * layout.block.z;
  if (threads == 0) {
    throw InvalidArgument("a block without threads has no occupancy: its sizes must be above 0");
  }
  const CUdevice device = current_device();
  const auto warp = static_cast<std::uint64_t>(device_attribute(device, CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  const int most_threads = device_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  const auto processors =
      static_cast<unsigned>(device_attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  const double blocks = blocks_on_device(function, layout, static_cast<int>(threads), processors);
  metrics.registers_per_thread = function_attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  metrics.local_memory_bytes_per_thread = function_attribute(function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  const std::uint64_t threads_of_warps = (threads + warp - 1) / warp * warp;  // a part of a warp takes it all
  metrics.occupancy = blocks * static_cast<double>(threads_of_warps) /
                      (static_cast<double>(most_threads) * static_cast<double>(processors));
}

void add_bandwidth_fraction(KernelMetrics& metrics) {
  if (!metrics.gigabytes_per_second || metrics.peak_bandwidth_fraction) {
    return;
  }
  const DevicePeak peak = device_peak(ArithmeticUnit::cuda_cores_fp32);  // the bandwidth is that of any unit
  if (peak.gigabytes_per_second) {
    metrics.peak_bandwidth_fraction = *metrics.gigabytes_per_second / *peak.gigabytes_per_second;
  }
}

}  // namespace contextual
