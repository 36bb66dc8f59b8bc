#pragma once

#include "contextual/launch/run_context.hpp"

#include <contextual/timer.hpp>

#include <deque>
#include <optional>
#include <string>

namespace contextual::tuning {

/// Returns a warning if the timer measures the host only and a kernel was launched on a stream; else nothing.
/// The text is the same in every batch of a run.
std::optional<std::string> timer_warning(const Timer& timer, const std::deque<detail::ProblemSlot>& slots);

}  // namespace contextual::tuning
