#include "search/random_assignment.hpp"

#include <vector>

namespace search_replay {

contextual::Assignment random_assignment(const contextual::SearchRequest& request, RandomNumbers& random) {
  contextual::Assignment assignment;
  for (const contextual::SearchProblem& problem : request.problems) {
    std::vector<std::size_t> candidates;
    for (std::size_t config = 0; config < problem.configs.size(); ++config) {
      if (problem.configs[config].candidate) {
        candidates.push_back(config);
      }
    }
    assignment.push_back(candidates[random.below(candidates.size())]);
  }
  return assignment;
}

}  // namespace search_replay
