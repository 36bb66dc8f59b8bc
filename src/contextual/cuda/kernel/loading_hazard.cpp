#include "contextual/cuda/kernel/loading_hazard.hpp"

#include "contextual/cuda/api/driver.hpp"

namespace contextual::cuda {

std::string loading_hazard() {
  CUmoduleLoadingMode mode = CU_MODULE_EAGER_LOADING;
  const bool lazy = driver().cuModuleGetLoadingMode(&mode) == CUDA_SUCCESS && mode == CU_MODULE_LAZY_LOADING;
  return std::string("CUDA takes a kernel's local memory ") + (lazy ? "and loads its code " : "") +
         "at its first launch";
}

}  // namespace contextual::cuda
