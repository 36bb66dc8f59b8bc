#pragma once

#include <contextual/export.hpp>

#include <cuda.h>

namespace contextual::detail {

/// Makes a context current as long as this object lives, then restores the previous one. The constructor
/// throws CudaUnavailable, CudaError or DeviceError.
class CONTEXTUAL_API ContextScope {
 public:
  explicit ContextScope(CUcontext context);
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  ~ContextScope();
};

}  // namespace contextual::detail
