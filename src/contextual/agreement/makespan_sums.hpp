#pragma once

/// \file
/// Says where the launches do not explain the makespan, for timers that see only the launches. Pure.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/batch_plan.hpp"

#include <vector>

namespace contextual::agreement {

/// A tuning iteration is explained if its agreed makespan is the sum of its problems' agreed times, within a
/// tenth. A shorter sum leaves time in which the ranks waited for work that no launch has shown. A longer one
/// has time twice: ranks were in different launches at the same time, or a launch waited for another rank.
///
/// Returns by problem whether with one of its configs more than half of its samples in the batch are in
/// iterations that are not explained. More than half, because noise may hit what lies between two launches,
/// too.
std::vector<bool> unexplained_makespans(const std::vector<policy::IterationPlan>& plan,
                                        const std::vector<policy::IterationOutcome>& iterations);

}  // namespace contextual::agreement
