#pragma once

/// \file
/// Plans the walks of all problems in one batch.

#include "contextual/policy/batch_plan.hpp"
#include "contextual/policy/problem_state.hpp"

#include <cstddef>
#include <vector>

namespace contextual::policy {

/// Returns the number of warm-ups and repeats of one config.
std::size_t config_length(const PolicyOptions& options);

/// Returns the number of tuning iterations that the walks should have before the next settle. The batch ends
/// with the next change of config of the first walking problem, with the end of any walk, or after `longest`
/// iterations, whichever comes first. At least one problem must be walking.
std::size_t walk_length(const std::vector<ProblemState>& problems, const PolicyOptions& options,
                        std::size_t longest);

/// Replaces the cells of walking problems by their next steps. If a walk ends before the batch, the problem's
/// remaining cells stay as they are.
void plan_walks(const std::vector<ProblemState>& problems, std::vector<IterationPlan>& batch);

}  // namespace contextual::policy
