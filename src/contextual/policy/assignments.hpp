#pragma once

/// \file
/// Assignments that the states of the problems stand for.

#include "contextual/policy/problem_state.hpp"

#include <contextual/search.hpp>

#include <vector>

namespace contextual::policy {

/// Returns the choice of every problem so far.
Assignment choices(const std::vector<ProblemState>& problems);

/// Returns the same, but with the default for each problem that has walked and can still use it.
Assignment defaults(const std::vector<ProblemState>& problems);

/// Returns the same, but with the default for every problem that this run tunes and that can still use it.
Assignment all_defaults(const std::vector<ProblemState>& problems);

}  // namespace contextual::policy
