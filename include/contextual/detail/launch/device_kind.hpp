#pragma once

/// \file
/// The kind of device that a launch is for: a part of what its config is chosen for, in processes that have
/// several kinds.

#include <contextual/export.hpp>

#include <cstdint>
#include <string>

namespace contextual::detail {

/// The kinds of the devices of this process. Called by launches, on any thread.
struct DeviceKinds {
  /// Returns a word for the kind of the calling thread's current device: equal on all ranks and in every
  /// process, and 0 for the kind that this process has used first, so that ranks which use one kind each
  /// choose together. Must not wait.
  std::uint64_t (*current)() noexcept;
  /// Returns its name for people.
  std::string (*name)(std::uint64_t word);
};

/// Makes launches ask for the kind; null: there is only one. It must live as long as the process. Lock-ins of
/// the kind 0 stay. Call it while no region runs. Thread-safe.
CONTEXTUAL_API void set_device_kinds(const DeviceKinds* kinds) noexcept;

}  // namespace contextual::detail
