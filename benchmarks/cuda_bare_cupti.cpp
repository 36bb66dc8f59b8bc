#include "cuda_bare_cupti.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace contextual::benchmarks {
namespace {

void* library() {
  static void* const loaded =
      dlopen(("libcupti.so." + std::to_string(CUDA_VERSION / 1000)).c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (loaded == nullptr) {
    throw std::runtime_error("CUPTI is not in the process: " + std::string(dlerror()));
  }
  return loaded;
}

template <typename Function, typename... Arguments>
void call(const char* name, Function* /*declared*/, Arguments... arguments) {
  auto* const function = reinterpret_cast<Function*>(dlsym(library(), name));
  const CUptiResult result = function == nullptr ? CUPTI_ERROR_UNKNOWN : function(arguments...);
  if (result != CUPTI_SUCCESS) {
    throw std::runtime_error(std::string(name) + " failed: " + std::to_string(result));
  }
}

// The header's functions are named, not linked to.
#define CONTEXTUAL_CALL(function, ...) \
  call(#function, static_cast<decltype(&::function)>(nullptr) __VA_OPT__(, ) __VA_ARGS__)

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

constexpr std::size_t buffer_count = 4;  // CUPTI has one or two at a time

/// Zeroed, and touched ahead.
std::vector<std::vector<std::uint8_t>>& buffers() {
  static std::vector<std::vector<std::uint8_t>> made(buffer_count, std::vector<std::uint8_t>(buffer_bytes));
  return made;
}

void CUPTIAPI request(std::uint8_t** memory, std::size_t* size, std::size_t* max_records) {
  static std::atomic<std::size_t> next{0};
  *memory = buffers()[next++ % buffer_count].data();
  *size = buffer_bytes;
  *max_records = 0;
}

void CUPTIAPI complete(CUcontext, std::uint32_t, std::uint8_t* memory, std::size_t size, std::size_t) {
  std::memset(memory, 0, size);
}

}  // namespace

BareCupti::BareCupti() {
  buffers();
  CONTEXTUAL_CALL(
      cuptiSubscribe, &subscriber_, [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {},
      nullptr);
  try {
    std::uint8_t zeroed = 1;
    std::size_t size = sizeof zeroed;
    CONTEXTUAL_CALL(cuptiActivitySetAttribute, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size,
                    &zeroed);
    CONTEXTUAL_CALL(cuptiActivityRegisterCallbacks, request, complete);
    CONTEXTUAL_CALL(cuptiActivityEnable, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  } catch (...) {
    end();
    throw;
  }
}

BareCupti::~BareCupti() {
  end();
}

void BareCupti::end() noexcept {
  try {
    CONTEXTUAL_CALL(cuptiActivityDisable, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    CONTEXTUAL_CALL(cuptiActivityFlushAll, static_cast<std::uint32_t>(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    CONTEXTUAL_CALL(cuptiUnsubscribe, subscriber_);
    CONTEXTUAL_CALL(cuptiFinalize);
  } catch (...) {  // the next tuning says what is wrong with CUPTI
  }
}

}  // namespace contextual::benchmarks
