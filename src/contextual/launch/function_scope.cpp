#include "contextual/launch/thread_state_scope.hpp"

#include <contextual/detail/launch/alternative_scope.hpp>
#include <contextual/detail/launch/function_scope.hpp>

namespace contextual::detail {

[[gnu::hot]] FunctionScope::FunctionScope(const KernelCore& function, const Key& key, std::size_t config_id,
                                          std::uint32_t region) noexcept
    : thread_(thread_state()), outer_scope_(thread_.scope), outer_region_(thread_.region) {
  const std::uint64_t around = outer_region_ == 0 ? 0 : outer_scope_;  // as it is when a call is tuned
  thread_.scope = scope_of(around, function.name_hash(), key, config_id);
  thread_.region = region;
}

DefaultsScope::DefaultsScope() noexcept : saved_(thread_state()) {
  thread_state() = state_in_region(0, true);
}

DefaultsScope::~DefaultsScope() {
  thread_state() = saved_;
}

}  // namespace contextual::detail
