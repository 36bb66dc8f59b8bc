#pragma once

/// \file
/// One launch in a run with nothing to tune.

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/export.hpp>

#include <cstddef>
#include <string>

namespace contextual::detail {

/// Lives on the stack of one launch. If a config fails, it tells the run, so that all ranks tune afterwards.
class CONTEXTUAL_API WatchedLaunch {
 public:
  WatchedLaunch(const KernelCore& core, const Key& key, std::size_t config_id)
      : core_(core), key_(key), config_id_(config_id) {}

  std::size_t config_id() const noexcept { return config_id_; }
  /// Call it when the config has failed before it had any effect. Switches to the default, because nothing is
  /// known about the other configs here. Returns false if the default failed, or if the kernel is coupled,
  /// because a fallback would not match its partner. Throws Error, which names the file, if the config is
  /// pinned.
  bool fall_back(const std::string& reason);

 private:
  const KernelCore& core_;
  const Key& key_;
  std::size_t config_id_;
};

}  // namespace contextual::detail
