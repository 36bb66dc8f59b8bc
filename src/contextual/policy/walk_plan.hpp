#pragma once

/// \file
/// How the walks of all problems share a batch.

#include "contextual/policy/batch_plan.hpp"
#include "contextual/policy/problem_state.hpp"

#include <cstddef>
#include <vector>

namespace contextual::policy {

/// The warm-ups and repeats of one config.
std::size_t config_length(const PolicyOptions& options);

/// How many tuning iterations the walks should have before the next settle: up to the next change of config
/// of the first problem that walks, not beyond the end of any walk, and `longest` at most. Some problem
/// walks.
std::size_t walk_length(const std::vector<ProblemState>& problems, const PolicyOptions& options,
                        std::size_t longest);

/// Replaces the cells of problems that walk by their next steps. A problem whose walk ends sooner than the
/// batch keeps its further cells.
void plan_walks(const std::vector<ProblemState>& problems, std::vector<IterationPlan>& batch);

}  // namespace contextual::policy
