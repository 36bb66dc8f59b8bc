#pragma once

/// \file
/// One launch in a run with nothing to tune.

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/export.hpp>

#include <cstddef>

namespace contextual::detail {

/// Lives on the stack of one launch. If a config fails, it tells the run, so that all ranks tune afterwards.
class CONTEXTUAL_API WatchedLaunch {
 public:
  WatchedLaunch(const KernelCore& core, std::size_t config_id) : core_(core), config_id_(config_id) {}

  std::size_t config_id() const noexcept { return config_id_; }
  /// Call it when the config has failed before it had any effect. Switches to the default, because nothing is
  /// known about the other configs here. Returns false if the default failed, or if the kernel is coupled,
  /// because a fallback would not match its partner.
  bool fall_back();

 private:
  const KernelCore& core_;
  std::size_t config_id_;
};

}  // namespace contextual::detail
