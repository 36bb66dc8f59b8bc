#pragma once

/// \file
/// The event of a contest. Pure.

#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/events.hpp"

namespace contextual::record {

/// Makes the event of a contest. `subject` is the problem whose candidates the contest compares, or empty for
/// other kinds of contest.
Contest contest_event(const policy::Contest& contest, ProblemName subject);

}  // namespace contextual::record
