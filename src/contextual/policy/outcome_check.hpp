#pragma once

/// \file
/// Checks that an outcome fits its plan.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/batch_plan.hpp"
#include "contextual/policy/problem_state.hpp"

#include <vector>

namespace contextual::policy {

/// Throws InvalidArgument if the outcome does not fit the plan, or if either does not fit the problems.
void check_outcome(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome,
                   const std::vector<ProblemState>& problems);

/// Throws InvalidArgument if a rejection names a problem or config that does not exist.
void check_rejections(const std::vector<RejectionOutcome>& rejections,
                      const std::vector<ProblemState>& problems);

}  // namespace contextual::policy
