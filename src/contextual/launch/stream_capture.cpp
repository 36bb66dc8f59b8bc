#include <contextual/detail/launch/stream_capture.hpp>

#include <atomic>

namespace contextual::detail {
namespace {

constinit std::atomic<StreamCaptureCheck> check_in_force{nullptr};

}  // namespace

void set_stream_capture_check(StreamCaptureCheck check) noexcept {
  check_in_force.store(check, std::memory_order_release);
}

bool stream_is_captured(void* stream) noexcept {
  const StreamCaptureCheck check = check_in_force.load(std::memory_order_acquire);
  return check != nullptr && stream != nullptr && check(stream);
}

}  // namespace contextual::detail
