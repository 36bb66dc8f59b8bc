#include "contextual/cuda/timing/canary.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/cupti/active_contexts.hpp"
#include "contextual/cuda/kernel/ptx_kernel.hpp"
#include "contextual/cuda/timing/spin_kernel.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/deadline.hpp>
#include <contextual/detail/cuda/cuda_launch_config.hpp>

#include <chrono>
#include <string>
#include <thread>

namespace contextual::cuda {
namespace {

constexpr std::chrono::seconds patience{10};  // a busy device may be late; told in a message below

/// Any device can run it: the driver compiles it for what is there.
constexpr const char* empty_ptx = R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry contextual_canary() { ret; }
)";

/// The current context, else a primary one that is in use, else the first device's, current for as long as
/// this lives. The last is not released, as the CUDA runtime does not: kernels that were loaded in it are
/// kept.
class SomeContext {
 public:
  SomeContext() {
    CONTEXTUAL_CU(cuCtxGetCurrent(&context_));
    if (context_ != nullptr) {
      return;
    }
    if (const std::vector<CUcontext> active = active_contexts(); !active.empty()) {
      context_ = active.front();
    } else {
      CUdevice device = 0;
      CONTEXTUAL_CU(cuDeviceGet(&device, 0));
      CONTEXTUAL_CU(cuDevicePrimaryCtxRetain(&context_, device));
    }
    CONTEXTUAL_CU(cuCtxPushCurrent(context_));
    pushed_ = true;
  }
  SomeContext(const SomeContext&) = delete;
  SomeContext& operator=(const SomeContext&) = delete;
  ~SomeContext() {
    if (pushed_) {
      CUcontext popped = nullptr;
      driver().cuCtxPopCurrent(&popped);
    }
  }

 private:
  CUcontext context_ = nullptr;
  bool pushed_ = false;
};

/// Apart from everything else on the device: neither waits for the other.
class OwnStream {
 public:
  OwnStream() { CONTEXTUAL_CU(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING)); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream() { driver().cuStreamDestroy(stream_); }
  CUstream get() const noexcept { return stream_; }

  /// False: its work did not end before the deadline.
  bool wait(Deadline deadline) const {
    CUresult code = driver().cuStreamQuery(stream_);
    while (code == CUDA_ERROR_NOT_READY && !deadline.expired()) {
      std::this_thread::yield();
      code = driver().cuStreamQuery(stream_);
    }
    if (code != CUDA_ERROR_NOT_READY) {
      check(code, "cuStreamQuery of an empty kernel's stream");
    }
    return code == CUDA_SUCCESS;
  }

 private:
  CUstream stream_ = nullptr;
};

CuptiSession::Taken take(CuptiSession& session) {
  try {
    return session.take();
  } catch (const CudaError& error) {
    throw CudaUnavailable(error.what());
  }
}

CUfunction empty_kernel() {
  static auto* const kernel = new PtxKernel(empty_ptx, "contextual_canary");
  return kernel->get();
}

}  // namespace

void load_canary() {
  const SomeContext context;
  empty_kernel();
  load_spin_kernel();
}

void check_by_canary(CuptiSession& session) {
  const SomeContext context;
  const CUfunction kernel = empty_kernel();
  take(session);  // what was there before is not ours
  const OwnStream stream;
  const detail::CudaLaunchConfig launch(CudaLayout{}, stream.get());
  CuptiSession::set_launch(0);
  const CUresult launched = driver().cuLaunchKernelEx(launch.get(), kernel, nullptr, nullptr);
  CuptiSession::set_launch(-1);
  check(launched, "cuLaunchKernelEx of an empty kernel");
  if (!stream.wait(Deadline::after(patience))) {
    throw CudaUnavailable("an empty kernel, by which CUPTI is checked, did not end within 10 s");
  }
  const CuptiSession::Taken taken = take(session);
  bool sound = false;
  for (const DeviceRecord& record : taken.records) {
    for (const LaunchedCall& call : taken.calls) {
      sound = sound || (record.kernel && record.correlation == call.correlation && record.begin_ns > 0 &&
                        record.end_ns > record.begin_ns);
    }
  }
  if (!sound || taken.lost) {
    throw CudaUnavailable("CUPTI gave no sound record of a kernel: " + std::to_string(taken.records.size()) +
                          " records of " + std::to_string(taken.calls.size()) + " calls");
  }
}

}  // namespace contextual::cuda
