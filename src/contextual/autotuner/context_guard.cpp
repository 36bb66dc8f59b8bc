#include "contextual/autotuner/run_context.hpp"

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
  if (state.log != nullptr && (state.log != saved_.log || order == LaunchOrder::any)) {
    run_ = state.log->run;
    run_->guard_begins();
    state.log = &run_->add_thread(order);
  }
  detail::thread_state() = state;
}

ContextGuard::~ContextGuard() {
  detail::thread_state() = saved_;
  if (run_ != nullptr) {
    run_->guard_ends();
  }
}

}  // namespace contextual
