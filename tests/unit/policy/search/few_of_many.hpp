#pragma once

/// \file
/// A space with few candidates among more configs than anyone can go through.

#include "contextual/policy/search/search_space.hpp"
#include "unit/policy/search/scripted_table.hpp"

#include <cstddef>
#include <vector>

namespace contextual::policy::search::test {

/// Eight problems of a hundred configs, of which the last two are candidates.
inline SearchSpace few_of_many_space() {
  SearchSpace space(request_of(std::vector<std::size_t>(8, 100), 1).problems);
  for (std::size_t problem = 0; problem < 8; ++problem) {
    for (std::size_t config = 0; config < 98; ++config) {
      space.reject(problem, config);
    }
  }
  return space;
}

}  // namespace contextual::policy::search::test
