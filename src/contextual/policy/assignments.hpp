#pragma once

/// \file
/// The assignments that the finals compare as a whole.

#include "contextual/policy/contest_run.hpp"
#include "contextual/policy/problem_state.hpp"

#include <vector>

namespace contextual::policy {

/// Returns the choice of every problem so far.
Assignment choices(const std::vector<ProblemState>& problems);

/// Returns the same, but with the default for each problem that waits for the finals and can still use it.
Assignment defaults(const std::vector<ProblemState>& problems);

/// Returns the same, but with the config of the shortest makespan in the walk for each problem that waits for
/// the finals.
Assignment best_by_makespan(const std::vector<ProblemState>& problems);

/// Adds the entry unless there is one with the same assignment.
void add_distinct(std::vector<ContestRun::Entry>& entries, ContestRun::Entry entry);

}  // namespace contextual::policy
