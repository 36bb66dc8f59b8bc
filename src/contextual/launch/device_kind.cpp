#include "contextual/launch/device_kind.hpp"

#include <contextual/launch_registry.hpp>

namespace contextual::detail {

constinit std::atomic<const DeviceKinds*> device_kinds_in_force{nullptr};

void set_device_kinds(const DeviceKinds* kinds) noexcept {
  device_kinds_in_force.store(kinds, std::memory_order_release);
  // At the end of a run all kernels look whether their fast path is open: launches that need the kind take
  // the other one.
  LaunchRegistry::instance().begin_run();
  LaunchRegistry::instance().end_run();
}

std::string device_kind_text(std::uint64_t word) {
  const DeviceKinds* const kinds = device_kinds_in_force.load(std::memory_order_acquire);
  return word == 0 || kinds == nullptr ? std::string() : " on " + kinds->name(word);
}

}  // namespace contextual::detail
