#include "contextual/cuda/timing/l2_clearing.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/cupti/active_contexts.hpp"
#include "contextual/cuda/kernel/device_limits.hpp"

#include <contextual/detail/cuda/context_scope.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace contextual::cuda {
namespace {

/// A cache that is not told is taken for one of this size, which is more than any had in 2025.
constexpr std::size_t unknown_l2_bytes = std::size_t{128} << 20;

CUcontext context_to_clear(CUstream stream) {
  CUcontext context = nullptr;
  if (stream == nullptr) {
    CONTEXTUAL_CU(cuCtxGetCurrent(&context));
  } else {
    CONTEXTUAL_CU(cuStreamGetCtx(stream, &context));
  }
  return context;
}

/// Null if the process has none there.
CUcontext context_on(int device) {
  for (CUcontext context : active_contexts()) {
    const detail::ContextScope current(context);
    if (current_device() == device) {
      return context;
    }
  }
  return nullptr;
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

class L2Clearings final : public detail::CacheClearing {
 public:
  explicit L2Clearings(std::vector<std::unique_ptr<L2Clearing>> all) : all_(std::move(all)) {}

  void clear() override {
    for (const auto& one : all_) {
      one->clear();
    }
  }
  void abandon() noexcept override {
    for (const auto& one : all_) {
      one->abandon();
    }
  }

 private:
  std::vector<std::unique_ptr<L2Clearing>> all_;
};

}  // namespace

std::unique_ptr<detail::CacheClearing> l2_clearing_on(void* stream) {
  const auto on = static_cast<CUstream>(stream);
  const CUcontext context = context_to_clear(on);
  return context == nullptr ? nullptr : std::make_unique<L2Clearing>(context, on);
}

std::unique_ptr<detail::CacheClearing> l2_clearing_of(std::span<const int> devices) {
  std::vector<std::unique_ptr<L2Clearing>> all;
  for (const int device : devices) {
    const CUcontext context = context_on(device);
    if (context == nullptr) {
      return nullptr;
    }
    all.push_back(std::make_unique<L2Clearing>(context, nullptr));
  }
  return all.empty() ? nullptr : std::make_unique<L2Clearings>(std::move(all));
}

}  // namespace contextual::cuda
