#pragma once

/// \file
/// Lets the ranks tell each other which configs failed.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/policy/tuning_state.hpp"

#include <vector>

namespace contextual::agreement {

/// What failed in a batch: configs by themselves, and assignments of configs.
struct Rejected {
  std::vector<policy::RejectionOutcome> configs;
  std::vector<InfeasibleIteration> iterations;
};

/// Returns what any rank rejected, each with the reasons of all ranks that rejected it, in the same order on
/// all ranks. Collective: all ranks call it, because they saw the same header.
Rejected gather_rejections(Exchange& exchange, const Rejected& own);

}  // namespace contextual::agreement
