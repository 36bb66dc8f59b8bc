#include "contextual/launch/device_kind.hpp"
#include "contextual/launch/thread_state_scope.hpp"

#include <contextual/detail/launch/alternative_scope.hpp>
#include <contextual/detail/launch/function_scope.hpp>

namespace contextual::detail {

[[gnu::hot]] FunctionScope::FunctionScope(const KernelCore& function, const Key& key, std::size_t config_id,
                                          std::uint32_t region) noexcept
    : thread_(thread_state()), outer_scope_(thread_.scope), outer_region_(thread_.region) {
  thread_.scope =
      scope_of(outer_scope_ ^ device_kind_of(function.traits()), function.name_hash(), key, config_id);
  thread_.region = region;
}

DefaultsScope::DefaultsScope() noexcept : saved_(thread_state()) {
  ThreadState& thread = thread_state();
  if (thread.log == nullptr && thread.use == nullptr) {
    thread = state_in_region(0, true);
  }
}

DefaultsScope::~DefaultsScope() {
  thread_state() = saved_;
}

}  // namespace contextual::detail
