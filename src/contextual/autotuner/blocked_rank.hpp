#pragma once

/// \file
/// What happens when the watchdog finds this rank blocked.

#include "contextual/autotuner/recorder.hpp"
#include "contextual/autotuner/resolved_options.hpp"
#include "contextual/autotuner/run_context.hpp"
#include "contextual/autotuner/watchdog.hpp"

namespace contextual::autotuner {

/// Looks at what the rank is doing. `tell` says it in the log and on stderr, for which it waits a second at
/// most. `leave` calls the user's `on_deadline` if there is one, else ends the process with
/// deadline_exit_code, unless a debugger is attached.
Watchdog::Actions blocked_actions(const ResolvedOptions& options, detail::RunContext& context,
                                  const Recorder& recorder, const Watchdog::Place& place,
                                  std::chrono::nanoseconds blocked_for) noexcept;

}  // namespace contextual::autotuner
