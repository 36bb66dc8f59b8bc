#pragma once

/// \file
/// What happens when the watchdog finds this rank blocked.

#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/call_watch.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/phase.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace contextual::tuning {

/// Finds out what the rank is doing and returns what to do about it. `tell` writes that to the log and to
/// stderr, and waits for the writing for a second at most. `leave` calls the user's `on_deadline` if there is
/// one. Else it ends the process with deadline_exit_code, unless a debugger is attached.
Watchdog::Actions blocked_actions(const options::ResolvedOptions& options, detail::RunContext& context,
                                  const record::Recorder& recorder, const Watchdog::Place& place,
                                  std::chrono::nanoseconds blocked_for) noexcept;

/// What happens to a call that is still blocked after the grace.
enum class AfterGrace { leave, nothing };

/// A call of a region that no tuning run looks after.
struct UntunedCall {
  std::string region;
  std::string run_id;  ///< of the last tuning run of the region: its log tells of the call
  Activity activity = Activity::later_call;
  AfterGrace after_grace = AfterGrace::nothing;
  std::optional<detail::CurrentLaunch> made_ready{};  ///< the config that is being made ready
};

/// The same for such a call. `over` says in the log that it has ended after all.
CallWatch::Actions blocked_call_actions(const options::ResolvedOptions& options, const UntunedCall& call,
                                        std::chrono::nanoseconds blocked_for) noexcept;

}  // namespace contextual::tuning
