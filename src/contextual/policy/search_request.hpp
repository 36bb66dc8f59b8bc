#pragma once

/// \file
/// What a search is told of the problems that it chooses for. Pure.

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

/// Returns the number of assignments of these problems' candidates, at most SearchRecord::most_counted.
std::size_t candidates_of(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& members);

/// Returns a request with the members, where to start, and a seed that is equal on all ranks. `iterations` is
/// the number of tuning iterations so far.
SearchRequest request_for(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& members,
                          Assignment start, std::int64_t iterations);

}  // namespace contextual::policy
