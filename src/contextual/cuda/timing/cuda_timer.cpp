#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/kernel/device_kinds.hpp"
#include "contextual/cuda/kernel/devices_text.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/cuda/timer.hpp>
#include <contextual/detail/launch/stream_capture.hpp>
#include <contextual/detail/sync/blocked_process.hpp>

#include <atomic>
#include <string>

namespace contextual {
namespace {

bool is_captured(void* stream) noexcept {
  return cuda::driver_problem().empty() && cuda::stream_is_capturing(stream);
}

/// For calls that would begin to tune. Calls nothing of CUDA while the program starts.
[[maybe_unused]] const bool told = (detail::set_stream_capture_check(is_captured), true);

}  // namespace

std::unique_ptr<Timer> cuda_timer_with(const CuptiTimerOptions& options) {
  static_cast<void>(cuda::driver());  // throws where there is no GPU
  cuda::describe_devices();
  cuda::tell_device_kinds();
  try {
    return cuda_cupti_timer_with(options);
  } catch (const CudaUnavailable& reason) {
    static std::atomic<bool> said{false};
    if (!said.exchange(true)) {
      detail::tell_stderr(std::string("[contextual] timing by CUDA events, which are less exact and keep "
                                      "kernels from overlapping: ") +
                          reason.what() + "\n");
    }
  }
  return cuda_event_timer();
}

std::unique_ptr<Timer> cuda_timer() {
  return cuda_timer_with({});
}

}  // namespace contextual
