#pragma once

/// \file
/// A launch in a run with nothing to tune.

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/export.hpp>

#include <cstddef>

namespace contextual::detail {

/// Lives on the stack of one launch. Tells the run when a config failed, so that all ranks tune after it.
class CONTEXTUAL_API WatchedLaunch {
 public:
  WatchedLaunch(const KernelCore& core, std::size_t config_id) : core_(core), config_id_(config_id) {}

  std::size_t config_id() const noexcept { return config_id_; }
  /// The config has failed before it had any effect. Moves on to the default, then to the other configs in
  /// their order; kernels with a `prepare` have the default alone, since nothing may be loaded inside a
  /// region. False: there is none left, or the kernel is coupled, and a fallback would not match its partner.
  bool fall_back();

 private:
  const KernelCore& core_;
  std::size_t config_id_;
  std::size_t next_ = 0;
};

}  // namespace contextual::detail
