#pragma once

/// \file
/// What happens when the watchdog finds this rank blocked.

#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/watchdog.hpp"

namespace contextual::tuning {

/// Finds out what the rank is doing and returns what to do about it. `tell` writes that to the log and to
/// stderr, and waits for the writing for a second at most. `leave` calls the user's `on_deadline` if there is
/// one. Else it ends the process with deadline_exit_code, unless a debugger is attached.
Watchdog::Actions blocked_actions(const options::ResolvedOptions& options, detail::RunContext& context,
                                  const record::Recorder& recorder, const Watchdog::Place& place,
                                  std::chrono::nanoseconds blocked_for) noexcept;

}  // namespace contextual::tuning
