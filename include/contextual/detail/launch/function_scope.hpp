#pragma once

/// \file
/// What the kernels that a tuned function launches know of it.

#include <contextual/context_guard.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/export.hpp>
#include <contextual/key.hpp>

#include <cstddef>
#include <cstdint>

namespace contextual::detail {

/// Makes the calling thread launch inside a config of a function as long as it lives, so that a kernel which
/// the function launches has a choice of its own for each config of the function.
class FunctionScope {
 public:
  /// In the region that is active on the thread.
  FunctionScope(const KernelCore& function, const Key& key, std::size_t config_id) noexcept
      : FunctionScope(function, key, config_id, thread_state().region) {}
  /// In this region.
  CONTEXTUAL_API FunctionScope(const KernelCore& function, const Key& key, std::size_t config_id,
                               std::uint32_t region) noexcept;
  FunctionScope(const FunctionScope&) = delete;
  FunctionScope& operator=(const FunctionScope&) = delete;
  ~FunctionScope() {
    thread_.scope = outer_scope_;
    thread_.region = outer_region_;
  }

 private:
  ThreadState& thread_;
  std::uint64_t outer_scope_;
  std::uint32_t outer_region_;
};

/// Makes the calling thread launch defaults as long as it lives, also inside of a region, which then does not
/// see these launches.
class CONTEXTUAL_API DefaultsScope {
 public:
  DefaultsScope() noexcept;
  DefaultsScope(const DefaultsScope&) = delete;
  DefaultsScope& operator=(const DefaultsScope&) = delete;
  ~DefaultsScope();

 private:
  ThreadState saved_;
};

}  // namespace contextual::detail
