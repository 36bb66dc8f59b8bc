#include "contextual/agreement/makespan_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>

namespace contextual::agreement {
namespace {

/// Problems without a time of their own, such as choice points, add nothing.
bool explained(const policy::IterationOutcome& iteration) {
  constexpr std::int64_t tolerated_part = 10;  // of the makespan, one in so many
  std::int64_t sum_ns = 0;
  for (const policy::CellOutcome& cell : iteration.cells) {
    sum_ns += cell.time_ns.value_or(0);
  }
  return std::abs(sum_ns - *iteration.makespan_ns) <= *iteration.makespan_ns / tolerated_part;
}

}  // namespace

std::vector<bool> unexplained_makespans(const std::vector<policy::IterationPlan>& plan,
                                        const std::vector<policy::IterationOutcome>& iterations) {
  const std::size_t count = iterations.empty() ? 0 : iterations.front().cells.size();
  std::vector<std::map<std::size_t, int>> explained_more(count);  // by problem, by config: than not explained
  for (std::size_t i = 0; i < std::min(plan.size(), iterations.size()); ++i) {
    const policy::IterationOutcome& iteration = iterations[i];
    const std::size_t planned = iteration.makespan_ns ? plan[i].cells.size() : 0;
    for (std::size_t p = 0; p < std::min(planned, count); ++p) {
      const policy::Cell& cell = plan[i].cells[p];
      if (iteration.cells[p].time_ns && !cell.warmup) {
        explained_more[p][cell.config_id] += explained(iteration) ? 1 : -1;
      }
    }
  }
  std::vector<bool> unexplained;
  unexplained.reserve(explained_more.size());
  for (const std::map<std::size_t, int>& of_problem : explained_more) {
    unexplained.push_back(std::any_of(of_problem.begin(), of_problem.end(),
                                      [](const auto& of_config) { return of_config.second < 0; }));
  }
  return unexplained;
}

}  // namespace contextual::agreement
