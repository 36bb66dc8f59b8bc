#pragma once

#include <contextual/detail/launch/device_check.hpp>

#include <atomic>

namespace contextual::detail {

extern std::atomic<DeviceCheck> device_check_in_force;  ///< null: no launch is checked

}  // namespace contextual::detail
