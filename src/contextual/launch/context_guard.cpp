#include "contextual/launch/run_context.hpp"

#include <contextual/context_guard.hpp>

namespace contextual {

RegionContext RegionContext::current() noexcept {
  RegionContext context;
  context.state_ = detail::thread_state();
  return context;
}

ContextGuard::ContextGuard(const RegionContext& context, LaunchOrder order) : saved_(detail::thread_state()) {
  detail::ThreadState state = context.state_;
  // A guard on the thread that made the context changes nothing, unless it says that order does not count.
  // It is counted all the same, so that one that outlives the region is found.
  if (state.log != nullptr) {
    run_ = state.log->run;
    run_->guard_begins();
    if (state.log != saved_.log || order == LaunchOrder::any) {
      state.log = &run_->add_thread(order);
    }
  }
  if (state.use != nullptr && state.use->watched()) {
    use_ = state.use;
    use_->guard_begins();
  }
  installed_ = state;
  detail::thread_state() = state;
}

ContextGuard::~ContextGuard() {
  // Not after the region: its thread has its own state back by then, and what was saved here is gone.
  if (const detail::ThreadState& now = detail::thread_state();
      now.log == installed_.log && now.use == installed_.use) {
    const std::uint64_t scope = now.scope;
    const bool in_another_alternative = scope != installed_.scope;  // than where the guard was made
    detail::thread_state() = saved_;
    if (in_another_alternative) {
      detail::thread_state().scope = scope;
    }
  }
  if (run_ != nullptr) {
    run_->guard_ends();
  }
  if (use_ != nullptr) {
    use_->guard_ends();
  }
}

}  // namespace contextual
