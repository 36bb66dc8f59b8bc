#pragma once

/// \file
/// The tuning problem of which an error says that no config is left.

#include "contextual/launch/problem_slot.hpp"

#include <contextual/error.hpp>

#include <vector>

namespace contextual::detail {

/// Returns the problem that the error names. Several may have these texts, because those of 1 and "1" are
/// equal: then one without a config left. Returns null if there is none.
const ProblemSlot* failed_slot(const std::vector<const ProblemSlot*>& slots, const TuningFailedError& error);

}  // namespace contextual::detail
