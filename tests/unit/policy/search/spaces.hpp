#pragma once

/// \file
/// Spaces of problems without parameters.

#include "contextual/policy/search/search_space.hpp"
#include "unit/policy/search/scripted_table.hpp"

namespace contextual::policy::search::test {

inline SearchSpace space_of(const std::vector<std::size_t>& config_counts) {
  return SearchSpace(request_of(config_counts, 1).problems);
}

/// Eight problems of a hundred configs, of which the last two are candidates.
inline SearchSpace few_of_many_space() {
  SearchSpace space = space_of(std::vector<std::size_t>(8, 100));
  for (std::size_t problem = 0; problem < 8; ++problem) {
    for (std::size_t config = 0; config < 98; ++config) {
      space.reject(problem, config);
    }
  }
  return space;
}

}  // namespace contextual::policy::search::test
