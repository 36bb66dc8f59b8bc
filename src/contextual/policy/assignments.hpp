#pragma once

/// \file
/// The whole sets that the finals compare.

#include "contextual/policy/contest_run.hpp"
#include "contextual/policy/problem_state.hpp"

#include <vector>

namespace contextual::policy {

/// What every problem has chosen so far.
Assignment choices(const std::vector<ProblemState>& problems);

/// The same with the default of every problem that waits for the finals, where it is still in.
Assignment defaults(const std::vector<ProblemState>& problems);

/// The same with the config of the shortest makespan in the walk, for every problem that waits for the
/// finals.
Assignment best_by_makespan(const std::vector<ProblemState>& problems);

/// Adds the entry unless one of the same assignment is there.
void add_distinct(std::vector<ContestRun::Entry>& entries, ContestRun::Entry entry);

}  // namespace contextual::policy
