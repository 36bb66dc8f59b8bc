#pragma once

/// \file
/// What happens when the watchdog finds this rank blocked.

#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/run_reports.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <string>

namespace contextual::tuning {

/// How a tuning run is watched. All outlive it. What `bark` returns finds out what the rank is doing: `tell`
/// writes that to the log and to stderr, and waits for the writing for a second at most. `leave` calls the
/// user's `on_deadline` if there is one. Else it ends the process with deadline_exit_code, unless a debugger
/// is attached.
Watchdog::Watch watch_of_run(Watchdog& watchdog, const options::ResolvedOptions& options,
                             detail::RunContext& context, const record::Recorder& recorder);

/// What happens to a call that is still blocked after the grace.
enum class AfterGrace { leave, nothing };

/// The same for a call of a region that no tuning run looks after. The log of the region's last tuning run,
/// which `reports` knows, tells of the call, and also when it has ended after all. `made_ready`, if not null,
/// says which config is being made ready.
Watchdog::Watch watch_of_call(Watchdog& watchdog, const options::ResolvedOptions& options,
                              const std::string& region, const RunReports& reports, AfterGrace after_grace,
                              const detail::MadeReady* made_ready = nullptr);

}  // namespace contextual::tuning
