#include <contextual/detail/measure/device_buffers.hpp>

#include <atomic>

namespace contextual::detail {
namespace {

constinit std::atomic<const DeviceBuffers*> buffers_in_force{nullptr};

}  // namespace

void set_device_buffers(const DeviceBuffers* buffers) noexcept {
  buffers_in_force.store(buffers);
}

const DeviceBuffers* device_buffers() noexcept {
  return buffers_in_force.load();
}

const DeviceBuffers* device_of(const void* data) noexcept {
  const DeviceBuffers* const buffers = device_buffers();
  return buffers != nullptr && buffers->owns(data) ? buffers : nullptr;
}

}  // namespace contextual::detail
