#pragma once

/// \file
/// What happens when the watchdog finds this rank blocked.

#include "contextual/autotuner/recorder.hpp"
#include "contextual/autotuner/resolved_options.hpp"
#include "contextual/autotuner/run_context.hpp"
#include "contextual/autotuner/watchdog.hpp"

namespace contextual::autotuner {

/// Looks at what the rank is doing. The action says it in the log and on stderr, for which it waits a second
/// at most; then it calls the user's `on_deadline` if there is one, else leaves with deadline_exit_code if
/// the rank is still blocked and no debugger is attached.
Watchdog::Action blocked_action(const ResolvedOptions& options, detail::RunContext& context,
                                const Recorder& recorder, const Watchdog::Place& place,
                                std::chrono::nanoseconds blocked_for) noexcept;

}  // namespace contextual::autotuner
