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

/// Returns the number of tuning iterations that the walks of these problems, at least one, should have before
/// the next settle. The batch ends with the next change of config of the first of them, with the end of any
/// walk, or after `longest` iterations, whichever comes first.
std::size_t walk_length(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& walking,
                        const PolicyOptions& options, std::size_t longest);

/// Replaces the cells of these problems, which walk, by their next steps. If a walk ends before the batch,
/// the problem's remaining cells stay as they are.
void plan_walks(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& walking,
                std::vector<IterationPlan>& batch);

}  // namespace contextual::policy
