#include "contextual/cuda/api/driver.hpp"

#include <contextual/detail/cuda/context_scope.hpp>
#include <contextual/detail/cuda/exchange_buffer.hpp>
#include <contextual/error.hpp>

#include <string>

namespace contextual::detail {
namespace {

CUcontext context_of_caller() {
  CUcontext context = nullptr;
  CONTEXTUAL_CU(cuCtxGetCurrent(&context));
  if (context == nullptr) {
    throw InvalidArgument(
        "no CUDA device is current on this thread: call cudaSetDevice first, or say which device is meant");
  }
  return context;
}

CUdevice device_of(int ordinal) {
  int count = 0;
  CONTEXTUAL_CU(cuDeviceGetCount(&count));
  if (ordinal < 0 || ordinal >= count) {
    throw InvalidArgument("there is no CUDA device " + std::to_string(ordinal) + ": this process sees " +
                          std::to_string(count));
  }
  CUdevice device = 0;
  CONTEXTUAL_CU(cuDeviceGet(&device, ordinal));
  return device;
}

}  // namespace

ExchangeBuffer::ExchangeBuffer(std::optional<int> device, std::size_t bytes) : bytes_(bytes) {
  if (device) {
    const CUdevice chosen = device_of(*device);
    CONTEXTUAL_CU(cuDevicePrimaryCtxRetain(&context_, chosen));
    retained_ = chosen;
  } else {
    context_ = context_of_caller();
  }
  try {
    allocate();
  } catch (...) {
    free();
    throw;
  }
}

ExchangeBuffer::~ExchangeBuffer() {
  if (!abandoned_) {
    free();
  }
}

void ExchangeBuffer::allocate() {
  const ContextScope current(context_);
  CONTEXTUAL_CU(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
  CONTEXTUAL_CU(cuMemAlloc(&device_, bytes_));
  CONTEXTUAL_CU(cuMemHostAlloc(&host_, bytes_, 0));
}

void ExchangeBuffer::free() noexcept {
  const cuda::Driver& api = cuda::driver();
  if (api.cuCtxPushCurrent(context_) == CUDA_SUCCESS) {  // else all of it is gone with its context
    if (host_ != nullptr) {
      api.cuMemFreeHost(host_);
    }
    if (device_ != 0) {
      api.cuMemFree(device_);
    }
    if (stream_ != nullptr) {
      api.cuStreamDestroy(stream_);
    }
    CUcontext popped = nullptr;
    api.cuCtxPopCurrent(&popped);
  }
  if (retained_) {
    api.cuDevicePrimaryCtxRelease(*retained_);
  }
}

std::byte* ExchangeBuffer::device() noexcept {
  return reinterpret_cast<std::byte*>(device_);  // NOLINT(performance-no-int-to-ptr): the driver's type
}

void ExchangeBuffer::copy_to_device(Range range) {
  const ContextScope current(context_);
  CONTEXTUAL_CU(cuMemcpyHtoDAsync(device_ + range.offset, host() + range.offset, range.bytes, stream_));
}

void ExchangeBuffer::copy_to_host(Range range) {
  const ContextScope current(context_);
  CONTEXTUAL_CU(cuMemcpyDtoHAsync(host() + range.offset, device_ + range.offset, range.bytes, stream_));
}

bool ExchangeBuffer::done() {
  const ContextScope current(context_);
  const CUresult code = cuda::driver().cuStreamQuery(stream_);
  if (code == CUDA_ERROR_NOT_READY) {
    return false;
  }
  cuda::check(code, "cuStreamQuery");
  return true;
}

}  // namespace contextual::detail
