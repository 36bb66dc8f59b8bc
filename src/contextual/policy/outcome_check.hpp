#pragma once

/// \file
/// Whether an outcome fits what was planned.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/batch_plan.hpp"
#include "contextual/policy/problem_state.hpp"

#include <vector>

namespace contextual::policy {

/// Throws InvalidArgument when the outcome does not fit the plan, or one of them does not fit the problems.
void check_outcome(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome,
                   const std::vector<ProblemState>& problems);

/// Throws InvalidArgument for a problem or config that does not exist.
void check_rejections(const std::vector<RejectionOutcome>& rejections,
                      const std::vector<ProblemState>& problems);

}  // namespace contextual::policy
