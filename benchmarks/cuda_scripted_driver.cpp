#include "cuda_scripted_driver.hpp"

#include <cstddef>

namespace contextual::benchmarks {

CUresult context_now(CUcontext* context) {
  *context = handle<CUcontext>();
  return CUDA_SUCCESS;
}
CUresult launch_nothing_ex(const CUlaunchConfig* config, CUfunction, void** parameters, void**) {
  asm volatile("" : : "r"(config), "r"(parameters) : "memory");
  return CUDA_SUCCESS;
}
CUresult launch_nothing(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        CUstream, void** parameters, void**) {
  asm volatile("" : : "r"(parameters) : "memory");
  return CUDA_SUCCESS;
}

cuda::Driver scripted_driver() {
  cuda::Driver driver;
  driver.cuCtxGetCurrent = context_now;
  driver.cuLaunchKernelEx = launch_nothing_ex;
  driver.cuCtxGetDevice = [](CUdevice* device) {
    *device = 0;
    return CUDA_SUCCESS;
  };
  driver.cuCtxGetLimit = [](std::size_t* bytes, CUlimit) {
    *bytes = 1024;
    return CUDA_SUCCESS;
  };
  driver.cuDeviceGetAttribute = [](int* value, CUdevice_attribute which, CUdevice) {
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 1 << 20;  // no layout is too large
    return CUDA_SUCCESS;
  };
  driver.cuModuleLoadData = [](CUmodule* module, const void*) {
    *module = handle<CUmodule>();
    return CUDA_SUCCESS;
  };
  driver.cuModuleGetFunction = [](CUfunction* function, CUmodule, const char*) {
    *function = handle<CUfunction>();
    return CUDA_SUCCESS;
  };
  driver.cuFuncLoad = [](CUfunction) { return CUDA_SUCCESS; };
  driver.cuFuncGetAttribute = [](int* value, CUfunction_attribute which, CUfunction) {
    *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
    return CUDA_SUCCESS;
  };
  driver.cuOccupancyMaxActiveBlocksPerMultiprocessor = [](int* blocks, CUfunction, int, std::size_t) {
    *blocks = 1;
    return CUDA_SUCCESS;
  };
  driver.cuFuncSetAttribute = [](CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; };
  driver.cuStreamGetCtx = [](CUstream, CUcontext* context) { return context_now(context); };
  // For tuning.
  driver.cuDeviceGetCount = [](int* count) {
    *count = 0;  // the current context is all there is
    return CUDA_SUCCESS;
  };
  driver.cuCtxPushCurrent = [](CUcontext) { return CUDA_SUCCESS; };
  driver.cuCtxPopCurrent = [](CUcontext* context) { return context_now(context); };
  driver.cuModuleGetLoadingMode = [](CUmoduleLoadingMode* mode) {
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
  };
  return driver;
}

cuda::Nvrtc scripted_compiler() {
  cuda::Nvrtc nvrtc;
  nvrtc.nvrtcCreateProgram = [](nvrtcProgram* program, const char*, const char*, int, const char* const*,
                                const char* const*) {
    *program = handle<nvrtcProgram>();
    return NVRTC_SUCCESS;
  };
  nvrtc.nvrtcVersion = [](int* major, int* minor) {
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
  };
  nvrtc.nvrtcDestroyProgram = [](nvrtcProgram*) { return NVRTC_SUCCESS; };
  nvrtc.nvrtcAddNameExpression = [](nvrtcProgram, const char*) { return NVRTC_SUCCESS; };
  nvrtc.nvrtcCompileProgram = [](nvrtcProgram, int, const char* const*) { return NVRTC_SUCCESS; };
  nvrtc.nvrtcGetProgramLogSize = [](nvrtcProgram, std::size_t* size) {
    *size = 1;
    return NVRTC_SUCCESS;
  };
  nvrtc.nvrtcGetProgramLog = [](nvrtcProgram, char* log) {
    *log = '\0';
    return NVRTC_SUCCESS;
  };
  nvrtc.nvrtcGetLoweredName = [](nvrtcProgram, const char* name, const char** lowered) {
    *lowered = name;
    return NVRTC_SUCCESS;
  };
  nvrtc.nvrtcGetCUBINSize = [](nvrtcProgram, std::size_t* size) {
    *size = 1;
    return NVRTC_SUCCESS;
  };
  nvrtc.nvrtcGetCUBIN = [](nvrtcProgram, char* code) {
    *code = 1;
    return NVRTC_SUCCESS;
  };
  return nvrtc;
}

}  // namespace contextual::benchmarks
