#include "contextual/cuda/timing/device_wait.hpp"

#include "contextual/cuda/api/driver.hpp"

#include <contextual/error.hpp>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace contextual::cuda {
namespace {

CUresult synchronize(const Driver& api, CUcontext context) {
  CUresult code = api.cuCtxPushCurrent(context);
  if (code == CUDA_SUCCESS) {
    code = api.cuCtxSynchronize();
    CUcontext popped = nullptr;
    const CUresult pop = api.cuCtxPopCurrent(&popped);
    code = code == CUDA_SUCCESS ? pop : code;
  }
  return code;
}

CUresult synchronize_all(const Driver& api, const std::vector<CUcontext>& contexts) {
  CUresult code = CUDA_SUCCESS;
  for (CUcontext context : contexts) {
    const CUresult one = synchronize(api, context);
    code = code == CUDA_SUCCESS ? one : code;
  }
  return code;
}

}  // namespace

/// One wait at a time is asked for and answered.
struct DeviceWaiter::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;
  const Driver* api = nullptr;
  std::vector<CUcontext> contexts;
  bool asked = false;
  bool answered = false;
  bool ended = false;
  CUresult code = CUDA_SUCCESS;

  /// On the thread. Gives back when it is told to end.
  void serve() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return asked || ended; });
      if (ended) {
        return;
      }
      asked = false;
      const Driver& driver_then = *api;
      const std::vector<CUcontext> all = contexts;
      lock.unlock();
      const CUresult result = synchronize_all(driver_then, all);
      lock.lock();
      code = result;
      answered = true;
      changed.notify_all();
    }
  }

  void end() noexcept {
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  }
};

DeviceWaiter::~DeviceWaiter() {
  if (shared_) {
    shared_->end();
    shared_->thread.join();  // it waits for a question, not for a device
  }
}

void DeviceWaiter::wait(const std::vector<CUcontext>& contexts, Deadline deadline) {
  if (!shared_) {
    auto fresh = std::make_shared<Shared>();
    fresh->thread = std::thread([fresh] { fresh->serve(); });
    shared_ = std::move(fresh);
  }
  std::unique_lock lock(shared_->mutex);
  shared_->api = &driver();
  shared_->contexts = contexts;
  shared_->asked = true;
  shared_->answered = false;
  shared_->changed.notify_all();
  if (!deadline.wait(shared_->changed, lock, [&] { return shared_->answered; })) {
    shared_->ended = true;
    shared_->thread.detach();
    lock.unlock();
    shared_.reset();
    left_a_thread_ = true;
    throw Error(
        "the region's device work did not end before the deadline: a kernel waits for something that does "
        "not come, or the deadline is too short");
  }
  check(shared_->code, "cuCtxSynchronize");
}

}  // namespace contextual::cuda
