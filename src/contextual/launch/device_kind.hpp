#pragma once

/// \file
/// What a launch knows of the kind of its device.

#include <contextual/detail/launch/device_kind.hpp>
#include <contextual/detail/launch/kernel_core.hpp>

#include <atomic>
#include <cstdint>

namespace contextual::detail {

extern std::atomic<const DeviceKinds*> device_kinds_in_force;  ///< null: there is only one

/// Returns the word of the calling thread's current device; 0 where there is only one kind, for coupled
/// kernels, which choose together wherever they are, and for alternatives, whose launches may be on several
/// devices.
inline std::uint64_t device_kind_of(const KernelTraits& traits) noexcept {
  const DeviceKinds* const kinds = device_kinds_in_force.load(std::memory_order_acquire);
  if (kinds == nullptr) [[likely]] {
    return 0;
  }
  return traits.coupling.empty() && !traits.choice_point ? kinds->current() : 0;
}

/// Returns what the text of a key says of the kind: " on H200"; nothing for the word 0.
std::string device_kind_text(std::uint64_t word);

}  // namespace contextual::detail
