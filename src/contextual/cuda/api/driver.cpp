#include "contextual/cuda/api/driver.hpp"

#include <contextual/detail/cuda/function_table.hpp>

namespace contextual::cuda {
namespace {

// Expands cuda.h's names before they become text: cuEventDestroy is cuEventDestroy_v2 in the library.
#define CONTEXTUAL_TEXT_OF(name) #name
#define CONTEXTUAL_SYMBOL_OF(name) CONTEXTUAL_TEXT_OF(name)

std::string start(const Driver& driver) {
  int devices = 0;
  CUresult code = driver.cuInit(0);
  if (code == CUDA_SUCCESS) {
    code = driver.cuDeviceGetCount(&devices);
  }
  if (code != CUDA_SUCCESS) {
    const char* name = nullptr;
    driver.cuGetErrorName(code, &name);
    return "the CUDA driver does not start: " + std::string(name == nullptr ? "unknown error" : name);
  }
  return devices == 0 ? "no CUDA device is visible" : "";
}

const detail::Loaded<Driver>& loaded_driver() {
  static const auto* const loaded = [] {
    auto* const fresh = new detail::Loaded<Driver>;
    const detail::SharedLibrary library({"libcuda.so.1"});
    if (!library.loaded()) {
      fresh->problem = "no CUDA driver: " + library.problem();
      return fresh;
    }
#define CONTEXTUAL_LOAD(function) fresh->take(library, CONTEXTUAL_SYMBOL_OF(function), fresh->table.function);
    CONTEXTUAL_DRIVER_FUNCTIONS(CONTEXTUAL_LOAD)
#undef CONTEXTUAL_LOAD
    fresh->take_if_there(library, "cuCtxRecordEvent", fresh->table.cuCtxRecordEvent);
    fresh->take_if_there(library, "cuCtxWaitEvent", fresh->table.cuCtxWaitEvent);
    if (fresh->problem.empty()) {
      fresh->problem = start(fresh->table);
    }
    return fresh;
  }();
  return *loaded;
}

constinit detail::TableInForce<Driver> in_force;

}  // namespace

const Driver& driver() {
  return in_force.get(loaded_driver);
}

std::string driver_problem() noexcept {
  return in_force.replaced() ? std::string() : loaded_driver().problem;
}

DriverReplacement::DriverReplacement(const Driver& replacement) : saved_(in_force.replace(&replacement)) {}

DriverReplacement::~DriverReplacement() {
  in_force.replace(saved_);
}

std::string error_text(CUresult code) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver().cuGetErrorName(code, &name);
  driver().cuGetErrorString(code, &text);
  return std::string(name == nullptr ? "unknown CUDA error " + std::to_string(code) : name) +
         (text == nullptr ? "" : std::string(": ") + text);
}

bool stream_is_capturing(void* stream) noexcept {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return stream != nullptr &&
         driver().cuStreamIsCapturing(static_cast<CUstream>(stream), &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void check(CUresult code, const char* call) {
  if (code != CUDA_SUCCESS) [[unlikely]] {
    const std::string what = std::string(call) + " failed: " + error_text(code);
    if (cuda_context_lost(code)) {
      throw DeviceError(what);
    }
    throw CudaError(what, static_cast<int>(code));
  }
}

}  // namespace contextual::cuda

namespace contextual {

std::string cuda_problem() noexcept {
  return cuda::driver_problem();
}

std::string cuda_error_text(CUresult code) {
  return cuda::error_text(code);
}

}  // namespace contextual
