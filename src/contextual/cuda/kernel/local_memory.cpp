#include "contextual/cuda/kernel/local_memory.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/cupti/active_contexts.hpp"
#include "contextual/cuda/kernel/device_limits.hpp"

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

namespace contextual::cuda {
namespace {

/// Of one context, in bytes for each thread.
struct Reserved {
  std::size_t before = 0;  ///< the driver's limit when this library had not raised it yet
  std::size_t now = 0;     ///< what this library has made of it
  std::size_t needed = 0;  ///< by what is launched outside of tuning
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

/// The driver waits for running kernels, on a thread of its own here.
void raise_limit(CUcontext context, std::size_t bytes) {
  const auto code = std::make_shared<CUresult>(CUDA_SUCCESS);
  Deadline deadline = Deadline::after(detail::OngoingRun::latest_bounds().deadline / 2);
  const bool in_time = sync::bounded_call(
      [context, bytes, code] {
        const detail::ContextScope scope(context);
        *code = driver().cuCtxSetLimit(CU_LIMIT_STACK_SIZE, bytes);
      },
      deadline);
  if (!in_time) {
    throw ConfigRejected(need_text(bytes) +
                         ", for which the driver waits until no kernel runs; one did not end within half of "
                         "the deadline");
  }
  if (*code != CUDA_SUCCESS) {
    const auto threads = static_cast<std::size_t>(
                             device_attribute(current_device(), CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)) *
                         static_cast<std::size_t>(device_attribute(
                             current_device(), CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
    throw ConfigRejected(need_text(bytes) + ", about " + std::to_string((bytes * threads) >> 20U) +
                         " MiB for all threads of the device, which it does not give: " + error_text(*code));
  }
}

}  // namespace

void give_back_local_memory() noexcept {
  try {
    const std::lock_guard lock(mutex);
    for (CUcontext context : active_contexts()) {
      const auto found = all_reserved().find(context);
      if (found == all_reserved().end()) {
        continue;
      }
      Reserved& reserved = found->second;
      const detail::ContextScope scope(context);
      const std::size_t least = std::max(reserved.before, reserved.needed);
      // Where the limit is another one by now, somebody else needs it.
      if (least < reserved.now && limit_now() == reserved.now) {
        CONTEXTUAL_CU(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, least));
        reserved.now = least;
      }
    }
  } catch (const std::exception&) {
    return;  // then it stays reserved
  }
}

}  // namespace contextual::cuda

namespace contextual::detail {

using namespace contextual::cuda;

void reserve_local_memory(std::size_t bytes) {
  CUcontext context = nullptr;
  CONTEXTUAL_CU(cuCtxGetCurrent(&context));
  const std::lock_guard lock(mutex);
  const std::size_t limit = limit_now();
  Reserved& reserved = all_reserved()[context];
  if (reserved.now == 0 || limit < reserved.now) {  // a fresh context, or somebody has lowered it
    reserved = {.before = limit, .now = limit};
  }
  if (bytes > limit) {
    raise_limit(context, bytes);
    reserved.now = bytes;
  }
  if (bytes > reserved.before && !LoadNotes::tries()) {
    reserved.needed = std::max(reserved.needed, bytes);
  }
}

}  // namespace contextual::detail
