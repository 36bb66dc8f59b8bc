#include "contextual/cuda/kernel/device_limits.hpp"

#include "contextual/cuda/api/driver.hpp"

#include <contextual/detail/cuda/cuda_launch_config.hpp>

namespace contextual::cuda {

int device_attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  CONTEXTUAL_CU(cuDeviceGetAttribute(&value, which, device));
  return value;
}

namespace {

int attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  CONTEXTUAL_CU(cuFuncGetAttribute(&value, which, function));
  return value;
}

std::string number(const char* what, std::uint64_t value) {
  return std::string(what) + std::to_string(value);
}

bool within(const CudaDim& dim, const CudaDim& largest) {
  return dim.x <= largest.x && dim.y <= largest.y && dim.z <= largest.z;
}

std::string text(const CudaDim& dim) {
  return std::to_string(dim.x) + " x " + std::to_string(dim.y) + " x " + std::to_string(dim.z);
}

CudaDim dim_of(CUdevice device, CUdevice_attribute x, CUdevice_attribute y, CUdevice_attribute z) {
  return {static_cast<unsigned>(device_attribute(device, x)),
          static_cast<unsigned>(device_attribute(device, y)),
          static_cast<unsigned>(device_attribute(device, z))};
}

std::string cluster_problem(CUfunction function, const CudaLayout& layout) {
  const detail::CudaLaunchConfig launch(layout, nullptr);
  const std::uint64_t cluster_blocks = std::uint64_t{layout.cluster.x} * layout.cluster.y * layout.cluster.z;
  if (cluster_blocks <= 1) {
    return {};
  }
  if (layout.grid.x % layout.cluster.x != 0 || layout.grid.y % layout.cluster.y != 0 ||
      layout.grid.z % layout.cluster.z != 0) {
    return "the grid is no multiple of the cluster";
  }
  if (cluster_blocks > 8) {  // beyond the size that every device of the generation has
    const CUresult allowed =
        driver().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (allowed != CUDA_SUCCESS) {
      return number("a cluster of ", cluster_blocks) + " blocks: " + error_text(allowed);
    }
  }
  int clusters = 0;
  const CUresult code = driver().cuOccupancyMaxActiveClusters(&clusters, function, launch.get());
  if (code != CUDA_SUCCESS || clusters == 0) {
    return number("no cluster of ", cluster_blocks) + " blocks fits the device" +
           (code == CUDA_SUCCESS ? "" : ": " + error_text(code));
  }
  return {};
}

}  // namespace

DeviceLimits DeviceLimits::of(CUdevice device) {
  DeviceLimits limits;
  limits.compute_capability = 10 * device_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                              device_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  limits.shared_bytes_per_block =
      device_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  limits.threads_per_block = device_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  limits.grid = dim_of(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                       CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  limits.block = dim_of(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
                        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  return limits;
}

CUdevice current_device() {
  CUdevice device = 0;
  CONTEXTUAL_CU(cuCtxGetDevice(&device));
  return device;
}

std::string layout_problem(CUfunction function, const CudaLayout& layout, const DeviceLimits& limits) {
  const std::uint64_t threads = std::uint64_t{layout.block.x} * layout.block.y * layout.block.z;
  const int most_threads = attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (threads == 0 || threads > static_cast<std::uint64_t>(most_threads)) {
    return number("a block of ", threads) +
           number(" threads; with its ",
                  static_cast<std::uint64_t>(attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS))) +
           number(" registers this kernel can have ", static_cast<std::uint64_t>(most_threads));
  }
  if (std::uint64_t{layout.grid.x} * layout.grid.y * layout.grid.z == 0) {
    return "an empty grid";
  }
  if (!within(layout.grid, limits.grid)) {
    return "a grid of " + text(layout.grid) + " blocks; the device has at most " + text(limits.grid);
  }
  if (!within(layout.block, limits.block)) {
    return "a block of " + text(layout.block) + " threads; the device has at most " + text(limits.block);
  }
  const int fixed = attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  if (fixed + static_cast<std::int64_t>(layout.dynamic_shared_bytes) > limits.shared_bytes_per_block) {
    return number("", layout.dynamic_shared_bytes) + number(" + ", static_cast<std::uint64_t>(fixed)) +
           number(" bytes of shared memory; the device has ",
                  static_cast<std::uint64_t>(limits.shared_bytes_per_block)) +
           " for a block";
  }
  if (attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) <
      static_cast<int>(layout.dynamic_shared_bytes)) {
    const CUresult code =
        driver().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    static_cast<int>(layout.dynamic_shared_bytes));
    if (code != CUDA_SUCCESS) {
      return number("", layout.dynamic_shared_bytes) + " bytes of dynamic shared memory: " + error_text(code);
    }
  }
  int blocks = 0;
  const CUresult code = driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, function, static_cast<int>(threads), layout.dynamic_shared_bytes);
  if (code != CUDA_SUCCESS || blocks == 0) {
    return "no block fits a multiprocessor" + (code == CUDA_SUCCESS ? "" : ": " + error_text(code));
  }
  return cluster_problem(function, layout);
}

}  // namespace contextual::cuda
