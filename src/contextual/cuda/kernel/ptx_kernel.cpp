#include "contextual/cuda/kernel/ptx_kernel.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/timing/device_wait.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/deadline.hpp>
#include <contextual/detail/cuda/context_scope.hpp>
#include <contextual/detail/sync/bounded_call.hpp>
#include <contextual/detail/sync/ongoing_run.hpp>

#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>

namespace contextual::cuda {
namespace {

/// One kernel at a time is loaded. Where one is late, so would be the next: both wait for what runs.
struct Loading {
  std::mutex mutex;
  std::condition_variable changed;
  bool under_way = false;
  bool late = false;
};

Loading& loading() {
  static auto* const state = new Loading;
  return *state;
}

/// A part of the deadline: CUPTI may have waited before.
Deadline patience() {
  return Deadline::after(detail::OngoingRun::latest_bounds().deadline / 4);
}

[[noreturn]] void throw_late(const char* name) {
  throw CudaUnavailable(
      "a kernel runs in this process, for which the driver waits when it loads the kernel " +
      std::string(name) + ", and did not end within a quarter of the deadline");
}

}  // namespace

CUfunction PtxKernel::get() {
  CUcontext context = nullptr;
  CONTEXTUAL_CU(cuCtxGetCurrent(&context));
  Loading& state = loading();
  Deadline deadline = patience();
  std::unique_lock lock(state.mutex);
  if (const auto known = functions_.find(context); known != functions_.end()) {
    return known->second;
  }
  if (state.late || !deadline.wait(state.changed, lock, [&] { return !state.under_way; })) {
    throw_late(name_);
  }
  if (const auto known = functions_.find(context); known != functions_.end()) {
    return known->second;  // by another thread
  }
  state.under_way = true;
  lock.unlock();
  bool came = false;
  try {
    came = sync::bounded_call([this, context] { load(context); }, deadline);
  } catch (const std::system_error&) {  // there is no thread for it
    const std::lock_guard again(state.mutex);
    state.under_way = false;
    throw;
  }
  lock.lock();
  if (!came) {
    state.late = state.under_way;
    throw_late(name_);
  }
  return functions_.at(context);
}

/// Perhaps on a thread that was left alone: what comes late is there for the next one who asks.
void PtxKernel::load(CUcontext context) {
  CUfunction function = nullptr;
  const auto ended = [&] {
    const std::lock_guard lock(loading().mutex);
    if (function != nullptr) {
      functions_[context] = function;
    }
    loading().under_way = loading().late = false;
    loading().changed.notify_all();
  };
  try {
    function = loaded_in(context);
  } catch (...) {
    ended();
    throw;
  }
  ended();
}

CUfunction PtxKernel::loaded_in(CUcontext context) const {
  const RelaxedCaptures relaxed;
  const detail::ContextScope current(context);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CONTEXTUAL_CU(cuModuleLoadData(&module, ptx_));
  CUresult code = driver().cuModuleGetFunction(&function, module, name_);
  code = code == CUDA_SUCCESS ? driver().cuFuncLoad(function) : code;
  if (code != CUDA_SUCCESS) {
    driver().cuModuleUnload(module);
    check(code, ("loading the kernel " + std::string(name_)).c_str());
  }
  return function;
}

}  // namespace contextual::cuda
