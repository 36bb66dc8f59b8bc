#include "contextual/policy/first_runs.hpp"

#include <algorithm>
#include <utility>

namespace contextual::policy {
namespace {

constexpr std::int64_t long_run_ns = 20'000'000;

}  // namespace

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
  judge_suspect(assignment, outcome);
  if (begun.empty()) {
    return;
  }
  std::vector<std::size_t> suspects;
  std::int64_t run_ns = 0;
  std::int64_t shortest_ns = 0;
  for (const std::size_t p : begun) {
    const std::int64_t own_ns = outcome.cells[p].time_ns.value_or(0);
    if (own_ns > 0 && problems_[p].is_far_longer(own_ns)) {
      suspects.push_back(p);
      run_ns = std::max(run_ns, own_ns);
      shortest_ns = problems_[p].shortest_first_run_ns();
    }
  }
  bool slow = !suspects.empty();
  const std::int64_t makespan_ns = outcome.makespan_ns.value_or(0);
  if (makespan_ns > 0) {
    const bool comparable = shortest_ && shortest_->first.size() == assignment.size() &&
                            choice_points_.same_alternatives(shortest_->first, assignment);
    slow = comparable && far_longer(makespan_ns, shortest_->second);
    if (!comparable || makespan_ns < shortest_->second) {
      shortest_ = {assignment, makespan_ns};
    }
    run_ns = makespan_ns;
    shortest_ns = shortest_->second;
  }
  suspects = suspects.empty() ? begun : suspects;
  if (slow && run_ns > long_run_ns && suspects.size() == 1) {
    suspect_ = {suspects.front(), assignment, run_ns, shortest_ns, makespan_ns > 0};
  }
}

/// Beside other configs, which may have their own first runs, a run says nothing.
void FirstRuns::judge_suspect(const Assignment& assignment, const IterationOutcome& outcome) {
  const std::optional<Suspect> suspect = std::exchange(suspect_, std::nullopt);
  if (!suspect || assignment != suspect->assignment) {
    return;
  }
  const std::size_t p = suspect->problem;
  const std::int64_t again_ns =
      (suspect->by_makespan ? outcome.makespan_ns : outcome.cells[p].time_ns).value_or(0);
  const std::int64_t least_ns = std::min(suspect->run_ns, again_ns);
  if (outcome.cells[p].launched && least_ns > long_run_ns && far_longer(least_ns, suspect->shortest_ns)) {
    problems_[p].reject_slow(assignment[p],
                             Reason({.why = Why::slow_first_runs, .count = least_ns / 1'000'000}));
  }
}

}  // namespace contextual::policy
