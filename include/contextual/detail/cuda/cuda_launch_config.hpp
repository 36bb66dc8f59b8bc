#pragma once

#include <contextual/cuda/program.hpp>

#include <cuda.h>

#include <array>

namespace contextual::detail {

/// A layout in the form that the driver takes. Lives on the stack of one launch and does not allocate.
class CudaLaunchConfig {
 public:
  CudaLaunchConfig(const CudaLayout& layout, CUstream stream) noexcept {
    config_.gridDimX = layout.grid.x;
    config_.gridDimY = layout.grid.y;
    config_.gridDimZ = layout.grid.z;
    config_.blockDimX = layout.block.x;
    config_.blockDimY = layout.block.y;
    config_.blockDimZ = layout.block.z;
    config_.sharedMemBytes = layout.dynamic_shared_bytes;
    config_.hStream = stream;
    if (layout.cluster.x * layout.cluster.y * layout.cluster.z > 1) {
      CUlaunchAttribute& attribute = add();
      attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      attribute.value.clusterDim = {layout.cluster.x, layout.cluster.y, layout.cluster.z};
    }
    if (layout.programmatic_stream_serialization) {
      CUlaunchAttribute& attribute = add();
      attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      attribute.value.programmaticStreamSerializationAllowed = 1;
    }
    if (layout.shared_memory_carveout >= 0) {
      CUlaunchAttribute& attribute = add();
      attribute.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
      attribute.value.sharedMemCarveout = static_cast<unsigned>(layout.shared_memory_carveout);
    }
  }
  CudaLaunchConfig(const CudaLaunchConfig&) = delete;
  CudaLaunchConfig& operator=(const CudaLaunchConfig&) = delete;

  const CUlaunchConfig* get() const noexcept { return &config_; }

 private:
  CUlaunchAttribute& add() noexcept {
    config_.attrs = attributes_.data();  // left null without attributes
    return attributes_[config_.numAttrs++];
  }

  CUlaunchConfig config_{};
  std::array<CUlaunchAttribute, 3> attributes_;  // initialised by `add` only
};

}  // namespace contextual::detail
