#pragma once

#include <cuda.h>

#include <vector>

namespace contextual::cuda {

/// The contexts that a region may launch in: the current one first, then the primary contexts that are in use
/// in this process, one a device. Empty where no context exists yet. Creates none. Throws CudaUnavailable,
/// CudaError.
std::vector<CUcontext> active_contexts();

/// Makes a context current, and what was current before when it ends.
class ContextScope {
 public:
  explicit ContextScope(CUcontext context);
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  ~ContextScope();
};

}  // namespace contextual::cuda
