#include "contextual/cuda/timing/l2_clearing.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/kernel/device_limits.hpp"

#include <contextual/detail/cuda/context_scope.hpp>
#include <contextual/detail/measure/cache_clearing.hpp>

#include <cstddef>
#include <memory>

namespace contextual::cuda {
namespace {

/// A cache that is not told is taken for one of this size, which is more than any had in 2025.
constexpr std::size_t unknown_l2_bytes = std::size_t{128} << 20;

CUcontext context_of(CUstream stream) {
  CUcontext context = nullptr;
  if (stream == nullptr) {
    CONTEXTUAL_CU(cuCtxGetCurrent(&context));
  } else {
    CONTEXTUAL_CU(cuStreamGetCtx(stream, &context));
  }
  return context;
}

/// Fills memory of twice the cache's size: what was in the cache before has made room then, also where the
/// cache does not replace what is oldest. Filling takes about as long as writing to the device's memory.
class L2Clearing final : public detail::CacheClearing {
 public:
  L2Clearing(CUcontext context, CUstream stream) : context_(context), stream_(stream) {
    const detail::ContextScope current(context_);
    const int l2_bytes = device_attribute(current_device(), CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    bytes_ = 2 * (l2_bytes > 0 ? static_cast<std::size_t>(l2_bytes) : unknown_l2_bytes);
    CONTEXTUAL_CU(cuMemAlloc(&memory_, bytes_));
  }
  ~L2Clearing() override {
    if (!abandoned_ && driver().cuCtxPushCurrent(context_) == CUDA_SUCCESS) {  // else it is gone already
      driver().cuMemFree(memory_);
      CUcontext popped = nullptr;
      driver().cuCtxPopCurrent(&popped);
    }
  }

  void clear() override {
    const detail::ContextScope current(context_);
    CONTEXTUAL_CU(cuMemsetD8Async(memory_, 0, bytes_, stream_));
  }
  void abandon() noexcept override { abandoned_ = true; }

 private:
  CUcontext context_;
  CUstream stream_;
  std::size_t bytes_ = 0;
  CUdeviceptr memory_ = 0;
  bool abandoned_ = false;
};

std::unique_ptr<detail::CacheClearing> make_l2_clearing(void* stream) {
  const auto on = static_cast<CUstream>(stream);
  const CUcontext context = context_of(on);
  return context == nullptr ? nullptr : std::make_unique<L2Clearing>(context, on);
}

}  // namespace

void offer_l2_clearing() noexcept {
  detail::set_cache_clearing(make_l2_clearing);
}

}  // namespace contextual::cuda
