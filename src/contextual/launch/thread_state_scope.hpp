#pragma once

#include <contextual/context_guard.hpp>

#include <cstdint>

namespace contextual::detail {

/// Stands for a region whose kernels use their defaults. Nothing is ever locked in for it, so that a launch
/// finds that out without a branch of its own.
inline constexpr std::uint32_t of_defaults = 0x80000000U;

/// The state in a region that uses what is locked in, or the defaults but for what is pinned.
inline ThreadState state_in_region(std::uint32_t region_id, bool defaults_only) {
  ThreadState state;
  state.region = defaults_only ? region_id | of_defaults : region_id;
  state.defaults_only = defaults_only;
  return state;
}

/// The region itself, or 0 for none.
inline std::uint32_t region_of(const ThreadState& state) {
  return state.region & ~of_defaults;
}

/// Returns true in a call of a region, in whatever mode and whether it is tuned or not: a run in there is
/// part of it.
inline bool in_region_call(const ThreadState& state) {
  return state.log != nullptr || state.use != nullptr || (state.region != 0 && !state.in_hook);
}

/// Sets the calling thread's state as long as it lives, then restores the previous one.
class ThreadStateScope {
 public:
  explicit ThreadStateScope(const ThreadState& state) : saved_(thread_state()) { thread_state() = state; }
  ThreadStateScope(const ThreadStateScope&) = delete;
  ThreadStateScope& operator=(const ThreadStateScope&) = delete;
  ~ThreadStateScope() { thread_state() = saved_; }

 private:
  ThreadState saved_;
};

}  // namespace contextual::detail
