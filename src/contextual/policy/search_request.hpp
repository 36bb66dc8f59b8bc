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

/// How much a level measures where own times do not decide.
struct LevelNumbers {
  std::int64_t runs = 0;  ///< of the region, with everything
  int walk_uses = 0;      ///< of each config, at least, to orient the search; 0: there is no walk
};
LevelNumbers numbers_of(SearchLevel level);

/// Returns how often a walk uses each of so many configs if own times do not decide between them: at most
/// `n_warmup + n_repeat` times, and as often as an eighth of all runs allows, but enough for one sample. It
/// is 0 if even that takes more than a quarter of all runs: then the search orients itself.
int orienting_uses(const PolicyOptions& options, std::size_t config_count);

// The runs of the options, which `parts` searches share.
/// Returns how many runs one search and its closing comparisons, `comparisons` of them, take at most: what
/// `iterations` tuning iterations and the final run leave. A walk by own times, which can be longer than
/// that, leaves 3/8 of all runs. Each of several searches, which alternatives need, has runs in any case.
std::int64_t runs_after_walk(const PolicyOptions& options, std::int64_t iterations, std::size_t parts,
                             std::int64_t comparisons);
/// Returns how many of these are kept for the closing comparisons.
std::int64_t runs_kept_for_closing(const PolicyOptions& options, std::size_t parts, std::int64_t comparisons);
/// Returns how many runs the closing comparisons of one search take at most.
std::int64_t most_runs_for_closing(const PolicyOptions& options, std::size_t parts);

/// Returns the number of assignments of these problems' candidates, at most SearchRecord::most_counted.
std::size_t candidates_of(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& members);

/// Returns a request with the members, where to start, and a seed that is equal on all ranks. `iterations` is
/// the number of tuning iterations so far.
SearchRequest request_for(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& members,
                          Assignment start, std::int64_t iterations);

}  // namespace contextual::policy
