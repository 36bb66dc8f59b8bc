#include "contextual/policy/assignments.hpp"

namespace contextual::policy {

Assignment choices(const std::vector<ProblemState>& problems) {
  Assignment assignment;
  assignment.reserve(problems.size());
  for (const ProblemState& problem : problems) {
    assignment.push_back(problem.record().choice);
  }
  return assignment;
}

Assignment defaults(const std::vector<ProblemState>& problems) {
  Assignment assignment = choices(problems);
  for (std::size_t p = 0; p < problems.size(); ++p) {
    if (problems[p].walked() && problems[p].viable(0)) {
      assignment[p] = 0;
    }
  }
  return assignment;
}

Assignment all_defaults(const std::vector<ProblemState>& problems) {
  Assignment assignment = choices(problems);
  for (std::size_t p = 0; p < problems.size(); ++p) {
    if (!problems[p].request().locked_config && problems[p].viable(0)) {
      assignment[p] = 0;
    }
  }
  return assignment;
}

}  // namespace contextual::policy
