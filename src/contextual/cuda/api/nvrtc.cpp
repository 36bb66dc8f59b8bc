#include "contextual/cuda/api/nvrtc.hpp"

#include <contextual/detail/cuda/function_table.hpp>

#include <cuda.h>

namespace contextual::cuda {
namespace {

const detail::Loaded<Nvrtc>& loaded_nvrtc() {
  static const auto* const loaded = [] {
    auto* const fresh = new detail::Loaded<Nvrtc>;
    // With the major version of the headers first: another one has another idea of the structures.
    const std::string name = "libnvrtc.so." + std::to_string(CUDA_VERSION / 1000);
    const detail::SharedLibrary library({name, "/usr/local/cuda/lib64/" + name, "libnvrtc.so"});
    if (!library.loaded()) {
      fresh->problem = "NVRTC, which compiles kernels at run time, cannot be loaded: " + library.problem();
      return fresh;
    }
#define CONTEXTUAL_LOAD(function) fresh->take(library, #function, fresh->table.function);
    CONTEXTUAL_NVRTC_FUNCTIONS(CONTEXTUAL_LOAD)
#undef CONTEXTUAL_LOAD
    return fresh;
  }();
  return *loaded;
}

constinit detail::TableInForce<Nvrtc> in_force;

}  // namespace

const Nvrtc& nvrtc() {
  return in_force.get(loaded_nvrtc);
}

NvrtcReplacement::NvrtcReplacement(const Nvrtc& replacement) : saved_(in_force.replace(&replacement)) {}

NvrtcReplacement::~NvrtcReplacement() {
  in_force.replace(saved_);
}

void check(nvrtcResult code, const char* call) {
  if (code != NVRTC_SUCCESS) {
    throw CudaError(std::string(call) + " failed: " + nvrtc().nvrtcGetErrorString(code),
                    static_cast<int>(code));
  }
}

}  // namespace contextual::cuda
