#pragma once

#include "contextual/launch/run_context.hpp"

#include <contextual/timer.hpp>

#include <deque>
#include <optional>
#include <string>

namespace contextual::tuning {

/// What is to be said of a timer that sees the host alone, when a kernel was launched on a stream; nothing
/// when the timer measures what was launched. The same words in every batch of a run.
std::optional<std::string> timer_warning(const Timer& timer, const std::deque<detail::ProblemSlot>& slots);

}  // namespace contextual::tuning
