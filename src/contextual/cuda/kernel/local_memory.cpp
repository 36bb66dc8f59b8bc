#include "contextual/cuda/kernel/local_memory.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/cupti/active_contexts.hpp"
#include "contextual/cuda/kernel/device_limits.hpp"
#include "contextual/cuda/timing/device_wait.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/cuda/context_scope.hpp>
#include <contextual/detail/cuda/local_memory.hpp>
#include <contextual/detail/sync/bounded_call.hpp>
#include <contextual/detail/sync/ongoing_run.hpp>
#include <contextual/detail/tuning/load_notes.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace contextual::cuda {
namespace {

/// Of one context, in bytes for each thread.
struct Reserved {
  std::size_t before = 0;  ///< what somebody else has made of the driver's limit
  std::size_t now = 0;     ///< what this library has made of it
  std::size_t needed = 0;  ///< by what is launched outside of tuning
  bool raising = false;    ///< on another thread, which may wait for a kernel
};

std::mutex mutex;

std::map<CUcontext, Reserved>& all_reserved() {
  static auto* const all = new std::map<CUcontext, Reserved>;  // outlives static objects
  return *all;
}

std::size_t limit_now() {
  std::size_t bytes = 0;
  CONTEXTUAL_CU(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
  return bytes;
}

std::string need_text(std::size_t bytes) {
  return "the kernel needs " + std::to_string(bytes) + " bytes of local memory for each thread";
}

[[noreturn]] void reject_late(std::size_t bytes) {
  throw ConfigRejected(
      need_text(bytes) +
      ", for which the driver waits until no kernel runs; one did not end within half of the "
      "deadline");
}

/// Returns true if the limit has to be raised, which the caller then does.
bool begin_to_raise(CUcontext context, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  Reserved& reserved = all_reserved()[context];
  if (reserved.raising) {  // do not ask the driver: it may wait, too
    reject_late(bytes);
  }
  if (const std::size_t limit = limit_now(); limit != reserved.now) {
    reserved.before = limit;
    reserved.now = limit;
  }
  reserved.raising = bytes > reserved.now;
  return reserved.raising;
}

void end_raising(CUcontext context, std::size_t bytes, CUresult code) {
  const std::lock_guard lock(mutex);
  Reserved& reserved = all_reserved()[context];
  reserved.raising = false;
  reserved.now = code == CUDA_SUCCESS ? bytes : reserved.now;
}

/// The driver waits for running kernels, on a thread of its own here, which may come late.
CUresult raise_in_time(CUcontext context, std::size_t bytes) {
  const auto code = std::make_shared<CUresult>(CUDA_ERROR_UNKNOWN);
  const auto raise = [context, bytes, code] {
    try {
      const RelaxedCaptures relaxed;
      const detail::ContextScope scope(context);
      *code = driver().cuCtxSetLimit(CU_LIMIT_STACK_SIZE, bytes);
    } catch (const std::exception&) {  // the context is lost, which the region's launches tell
      *code = CUDA_ERROR_INVALID_CONTEXT;
    }
    end_raising(context, bytes, *code);
  };
  Deadline deadline = Deadline::after(detail::OngoingRun::latest_bounds().deadline / 2);
  try {
    if (sync::bounded_call(raise, deadline)) {
      return *code;
    }
  } catch (const std::exception&) {  // no thread can be started
    end_raising(context, bytes, CUDA_ERROR_UNKNOWN);
    throw;
  }
  reject_late(bytes);
}

void raise_limit(CUcontext context, std::size_t bytes) {
  if (const CUresult code = raise_in_time(context, bytes); code != CUDA_SUCCESS) {
    CUdevice device = current_device();
    const auto threads =
        static_cast<std::size_t>(device_attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)) *
        static_cast<std::size_t>(
            device_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
    throw ConfigRejected(need_text(bytes) + ", about " + std::to_string((bytes * threads) >> 20U) +
                         " MiB for all threads of the device, which it does not give: " + error_text(code));
  }
}

/// Throws CudaError.
void give_back_in(CUcontext context, Reserved& reserved) {
  const RelaxedCaptures relaxed;
  const detail::ContextScope scope(context);
  const std::size_t least = std::max(reserved.before, reserved.needed);
  // Where the limit is another one by now, somebody else needs it.
  if (!reserved.raising && least < reserved.now && limit_now() == reserved.now) {
    CONTEXTUAL_CU(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, least));
    reserved.now = least;
  }
}

}  // namespace

void give_back_local_memory() noexcept {
  const std::lock_guard lock(mutex);
  for (auto& [context, reserved] : all_reserved()) {
    try {
      const std::vector<CUcontext> active = active_contexts();
      if (std::find(active.begin(), active.end(), context) != active.end()) {
        give_back_in(context, reserved);
      }
    } catch (const std::exception&) {
      continue;  // then it stays reserved
    }
  }
}

}  // namespace contextual::cuda

namespace contextual::detail {

using namespace contextual::cuda;

void reserve_local_memory(std::size_t bytes) {
  CUcontext context = nullptr;
  CONTEXTUAL_CU(cuCtxGetCurrent(&context));
  if (begin_to_raise(context, bytes)) {
    raise_limit(context, bytes);
  }
  const std::lock_guard lock(mutex);
  Reserved& reserved = all_reserved()[context];
  if (bytes > reserved.before && !LoadNotes::tries()) {
    reserved.needed = std::max(reserved.needed, bytes);
  }
}

}  // namespace contextual::detail
