#pragma once

/// \file
/// What happens when the watchdog finds this rank blocked.

#include "contextual/autotuner/recorder.hpp"
#include "contextual/autotuner/resolved_options.hpp"
#include "contextual/autotuner/run_context.hpp"
#include "contextual/autotuner/watchdog.hpp"

namespace contextual::autotuner {

/// Says on stderr and in the log what the rank was doing. Then it calls the user's `on_deadline` if there is
/// one; else leaves with deadline_exit_code, unless a debugger is attached. Called by the watchdog's thread;
/// waits for the log for a second at most. All arguments must live as long as the run, which is blocked.
void report_blocked(const ResolvedOptions& options, detail::RunContext& context, Recorder& recorder,
                    const Watchdog::Place& place, std::chrono::nanoseconds blocked_for) noexcept;

}  // namespace contextual::autotuner
