#pragma once

#include "contextual/cuda/timing/used_handles.hpp"

#include <contextual/error.hpp>

#include <cuda.h>

#include <string>
#include <vector>

namespace contextual::cuda {

/// The contexts that a region used; there is room for several times the number of devices of a node.
class UsedContexts : public UsedHandles<CUcontext> {
 public:
  /// Returns each context once. Throws Error if there were more than the capacity.
  std::vector<CUcontext> all() const {
    if (overflowed()) {
      throw Error("the region used more than " + std::to_string(capacity) + " CUDA contexts");
    }
    return known();
  }
};

}  // namespace contextual::cuda
