#include "contextual/cuda/api/cupti.hpp"

#include <contextual/detail/cuda/function_table.hpp>

#include <cuda.h>

namespace contextual::cuda {
namespace {

const detail::Loaded<Cupti>& loaded_cupti() {
  static const auto* const loaded = [] {
    auto* const fresh = new detail::Loaded<Cupti>;
    const std::string name = "libcupti.so." + std::to_string(CUDA_VERSION / 1000);
    // The toolkit keeps it apart from its other libraries, where the loader does not look.
    const detail::SharedLibrary library({name, "/usr/local/cuda/extras/CUPTI/lib64/" + name, "libcupti.so"});
    if (!library.loaded()) {
      fresh->problem = "CUPTI, which times kernels, cannot be loaded: " + library.problem();
      return fresh;
    }
#define CONTEXTUAL_LOAD(function) fresh->take(library, #function, fresh->table.function);
    CONTEXTUAL_CUPTI_FUNCTIONS(CONTEXTUAL_LOAD)
#undef CONTEXTUAL_LOAD
    return fresh;
  }();
  return *loaded;
}

constinit detail::TableInForce<Cupti> in_force;

}  // namespace

const Cupti& cupti() {
  return in_force.get(loaded_cupti);
}

CuptiReplacement::CuptiReplacement(const Cupti& replacement) : saved_(in_force.replace(&replacement)) {}

CuptiReplacement::~CuptiReplacement() {
  in_force.replace(saved_);
}

void check(CUptiResult code, const char* call) {
  if (code != CUPTI_SUCCESS) {
    const char* text = nullptr;
    cupti().cuptiGetResultString(code, &text);
    throw CudaError(std::string(call) + " failed: " + (text == nullptr ? std::to_string(code) : text),
                    static_cast<int>(code));
  }
}

}  // namespace contextual::cuda
