#pragma once

#include <contextual/deadline.hpp>
#include <contextual/export.hpp>

#include <functional>

namespace contextual::sync {

/// Calls `body` on a thread of its own and returns true, or throws what it threw. If the deadline expires
/// first, it returns false and leaves the thread alone, which may stay in `body` for ever: `body` owns
/// everything that it uses. Throws std::system_error if no thread can be started.
CONTEXTUAL_API bool bounded_call(std::function<void()> body, Deadline& deadline);

}  // namespace contextual::sync
