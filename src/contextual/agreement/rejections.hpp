#pragma once

/// \file
/// Lets the ranks tell each other which configs failed.

#include "contextual/agreement/exchange.hpp"
#include "contextual/policy/tuning_state.hpp"

#include <vector>

namespace contextual::agreement {

/// Returns the configs that any rank rejected, each with the reasons of all ranks that rejected it, in the
/// same order on all ranks. Collective: all ranks call it, because they saw the same header.
std::vector<policy::RejectionOutcome> gather_rejections(Exchange& exchange,
                                                        const std::vector<policy::RejectionOutcome>& own);

}  // namespace contextual::agreement
