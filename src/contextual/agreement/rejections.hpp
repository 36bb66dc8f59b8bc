#pragma once

/// \file
/// The ranks tell each other which configs failed.

#include "contextual/agreement/exchange.hpp"
#include "contextual/policy/tuning_state.hpp"

#include <vector>

namespace contextual::agreement {

/// The union of what all ranks rejected, in the same order on all of them, each with the reasons of every
/// rank that says so. Collective: all ranks call it, because all saw the same header.
std::vector<policy::RejectionOutcome> gather_rejections(Exchange& exchange,
                                                        const std::vector<policy::RejectionOutcome>& own);

}  // namespace contextual::agreement
