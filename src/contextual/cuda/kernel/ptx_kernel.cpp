#include "contextual/cuda/kernel/ptx_kernel.hpp"

#include "contextual/cuda/api/driver.hpp"

#include <contextual/cuda/error.hpp>

#include <string>

namespace contextual::cuda {

CUfunction PtxKernel::get() {
  CUcontext context = nullptr;
  CONTEXTUAL_CU(cuCtxGetCurrent(&context));
  const std::lock_guard lock(mutex_);
  CUfunction& known = functions_[context];
  if (known == nullptr) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CONTEXTUAL_CU(cuModuleLoadData(&module, ptx_));
    CUresult code = driver().cuModuleGetFunction(&function, module, name_);
    code = code == CUDA_SUCCESS ? driver().cuFuncLoad(function) : code;
    if (code != CUDA_SUCCESS) {
      driver().cuModuleUnload(module);
      check(code, ("loading the kernel " + std::string(name_)).c_str());
    }
    known = function;
  }
  return known;
}

}  // namespace contextual::cuda
