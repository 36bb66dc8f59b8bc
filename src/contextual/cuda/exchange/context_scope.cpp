#include "contextual/cuda/api/driver.hpp"

#include <contextual/detail/cuda/context_scope.hpp>

namespace contextual::detail {

ContextScope::ContextScope(CUcontext context) {
  CONTEXTUAL_CU(cuCtxPushCurrent(context));
}

ContextScope::~ContextScope() {
  CUcontext popped = nullptr;
  cuda::driver().cuCtxPopCurrent(&popped);
}

}  // namespace contextual::detail
