#include "contextual/policy/first_runs.hpp"

#include <algorithm>

namespace contextual::policy {

std::vector<std::size_t> FirstRuns::beginning(const Assignment& assignment,
                                              const IterationOutcome& outcome) const {
  std::vector<std::size_t> beginning;
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (outcome.cells[p].launched && problems_[p].begins(assignment[p])) {
      beginning.push_back(p);
    }
  }
  return beginning;
}

void FirstRuns::judge(const std::vector<std::size_t>& begun, const Assignment& assignment,
                      const IterationOutcome& outcome) {
  constexpr std::int64_t long_run_ns = 20'000'000;
  if (begun.empty()) {
    return;
  }
  std::vector<std::size_t> suspects;
  std::int64_t run_ns = 0;
  for (const std::size_t p : begun) {
    const std::int64_t own_ns = outcome.cells[p].time_ns.value_or(0);
    if (own_ns > 0 && problems_[p].is_far_longer(own_ns)) {
      suspects.push_back(p);
      run_ns = std::max(run_ns, own_ns);
    }
  }
  bool slow = !suspects.empty();
  if (const std::int64_t makespan_ns = outcome.makespan_ns.value_or(0); makespan_ns > 0) {
    const bool comparable = shortest_ && shortest_->first.size() == assignment.size() &&
                            choice_points_.same_alternatives(shortest_->first, assignment);
    slow = comparable && far_longer(makespan_ns, shortest_->second);
    if (!comparable || makespan_ns < shortest_->second) {
      shortest_ = {assignment, makespan_ns};
    }
    run_ns = makespan_ns;
  }
  suspects = suspects.empty() ? begun : suspects;
  if (slow && run_ns > long_run_ns && suspects.size() == 1) {
    problems_[suspects.front()].reject_slow(
        assignment[suspects.front()], Reason({.why = Why::slow_first_run, .count = run_ns / 1'000'000}));
  }
}

}  // namespace contextual::policy
