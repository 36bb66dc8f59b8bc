#include "contextual/policy/assignments.hpp"

#include <algorithm>
#include <utility>

namespace contextual::policy {

Assignment choices(const std::vector<ProblemState>& problems) {
  Assignment assignment;
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

Assignment best_by_makespan(const std::vector<ProblemState>& problems) {
  Assignment assignment = choices(problems);
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const std::vector<std::size_t> best = problems[p].best_by_makespan(1);
    if (problems[p].walked() && !best.empty()) {
      assignment[p] = best.front();
    }
  }
  return assignment;
}

void add_distinct(std::vector<ContestRun::Entry>& entries, ContestRun::Entry entry) {
  const bool known = std::any_of(entries.begin(), entries.end(), [&](const ContestRun::Entry& other) {
    return other.assignment == entry.assignment;
  });
  if (!known) {
    entries.push_back(std::move(entry));
  }
}

}  // namespace contextual::policy
