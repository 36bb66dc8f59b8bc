#pragma once

/// \file
/// The event of a contest. Pure.

#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/events.hpp"

namespace contextual::record {

/// `subject` is the problem whose candidates it compares; empty for other kinds.
Contest contest_event(const policy::Contest& contest, ProblemName subject);

}  // namespace contextual::record
