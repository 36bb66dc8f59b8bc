#pragma once

#include <cuda.h>

#include <vector>

namespace contextual::cuda {

/// Returns the contexts in which a region may launch: the current one, then each device's primary context
/// that is in use in this process. Returns nothing if no context exists yet, and creates none. Throws
/// CudaUnavailable or CudaError.
std::vector<CUcontext> active_contexts();

/// Makes a context current as long as this object lives, then restores the previous one.
class ContextScope {
 public:
  explicit ContextScope(CUcontext context);
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  ~ContextScope();
};

}  // namespace contextual::cuda
