#include "contextual/cuda/device_wait.hpp"

#include "contextual/cuda/driver.hpp"

#include <contextual/error.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace contextual::cuda {
namespace {

/// Outlives the waiting thread where that never returns.
struct Outcome {
  std::mutex mutex;
  std::condition_variable done;
  bool finished = false;
  CUresult code = CUDA_SUCCESS;
};

CUresult synchronize(CUcontext context) {
  const Driver& api = driver();
  CUresult code = api.cuCtxPushCurrent(context);
  if (code == CUDA_SUCCESS) {
    code = api.cuCtxSynchronize();
    CUcontext popped = nullptr;
    const CUresult pop = api.cuCtxPopCurrent(&popped);
    code = code == CUDA_SUCCESS ? pop : code;
  }
  return code;
}

}  // namespace

void wait_for(const std::vector<CUcontext>& contexts, Deadline deadline) {
  const auto outcome = std::make_shared<Outcome>();
  std::thread waiting([outcome, contexts] {
    CUresult code = CUDA_SUCCESS;
    for (CUcontext context : contexts) {
      const CUresult one = synchronize(context);
      code = code == CUDA_SUCCESS ? one : code;
    }
    const std::lock_guard lock(outcome->mutex);
    outcome->code = code;
    outcome->finished = true;
    outcome->done.notify_one();
  });
  std::unique_lock lock(outcome->mutex);
  if (!outcome->done.wait_until(lock, deadline.at(), [&] { return outcome->finished; })) {
    waiting.detach();
    throw Error(
        "the region's device work did not end before the deadline: a kernel waits for something that does "
        "not come, or "
        "the deadline is too short");
  }
  const CUresult code = outcome->code;
  lock.unlock();
  waiting.join();
  check(code, "cuCtxSynchronize");
}

}  // namespace contextual::cuda
