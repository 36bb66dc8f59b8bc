#pragma once

/// \file
/// What a search is told of the problems that it chooses for, and how many runs it gets. Pure.

#include "contextual/policy/policy_options.hpp"
#include "contextual/policy/problem_state.hpp"
#include "contextual/policy/search_samples.hpp"

#include <contextual/options.hpp>
#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace contextual::policy {

/// Returns the number of runs of a level, walk and closing comparisons included.
std::int64_t runs_of(SearchLevel level);

// The budget of the options, which `parts` searches share.
/// Returns how many runs the closing comparisons of one of them take at most.
std::int64_t runs_for_closing(const PolicyOptions& options, std::size_t parts);
/// Returns how many runs one of them takes, with this number of closing comparisons after it: what is left
/// after `iterations` tuning iterations, but never next to nothing.
std::int64_t runs_for_search(const PolicyOptions& options, std::int64_t iterations, std::size_t parts,
                             std::int64_t comparisons);

/// Returns the number of assignments of these problems' candidates, at most SearchRecord::most_counted.
std::size_t candidates_of(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& members);

/// Returns a request with the members, where to start, and a seed that is equal on all ranks. `iterations` is
/// the number of tuning iterations so far.
SearchRequest request_for(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& members,
                          Assignment start, std::int64_t iterations);

}  // namespace contextual::policy
