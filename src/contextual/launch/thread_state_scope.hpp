#pragma once

#include <contextual/context_guard.hpp>

namespace contextual::detail {

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
