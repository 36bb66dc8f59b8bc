#include "contextual/cuda/cupti/active_contexts.hpp"

#include "contextual/cuda/api/driver.hpp"

#include <algorithm>

namespace contextual::cuda {

std::vector<CUcontext> active_contexts() {
  std::vector<CUcontext> contexts;
  const auto add = [&](CUcontext context) {
    if (context != nullptr && std::find(contexts.begin(), contexts.end(), context) == contexts.end()) {
      contexts.push_back(context);
    }
  };
  CUcontext current = nullptr;
  CONTEXTUAL_CU(cuCtxGetCurrent(&current));
  add(current);
  int devices = 0;
  CONTEXTUAL_CU(cuDeviceGetCount(&devices));
  for (int i = 0; i < devices; ++i) {
    CUdevice device = 0;
    unsigned flags = 0;
    int active = 0;
    CONTEXTUAL_CU(cuDeviceGet(&device, i));
    CONTEXTUAL_CU(cuDevicePrimaryCtxGetState(device, &flags, &active));
    if (active != 0) {
      CUcontext context = nullptr;
      CONTEXTUAL_CU(cuDevicePrimaryCtxRetain(&context, device));
      CONTEXTUAL_CU(cuDevicePrimaryCtxRelease(device));  // whoever activated it keeps it
      add(context);
    }
  }
  return contexts;
}

}  // namespace contextual::cuda
