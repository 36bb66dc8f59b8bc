#include "contextual/launch/device_check.hpp"

#include <contextual/launch_registry.hpp>

namespace contextual::detail {

constinit std::atomic<DeviceCheck> device_check_in_force{nullptr};

void set_device_check(DeviceCheck check) noexcept {
  device_check_in_force.store(check, std::memory_order_release);
  // At the end of a run all kernels look whether their fast path, which checks nothing, is open.
  LaunchRegistry::instance().begin_run();
  LaunchRegistry::instance().end_run();
}

}  // namespace contextual::detail
