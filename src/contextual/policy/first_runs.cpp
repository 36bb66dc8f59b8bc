#include "contextual/policy/first_runs.hpp"

#include <algorithm>
#include <utility>

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
  if (judge_suspect(assignment, outcome)) {
    return;
  }
  if (!begun.empty()) {
    suspect(begun, assignment, outcome);
  }
  if (!suspect_) {
    last_ = outcome;
  }
}

void FirstRuns::suspect(const std::vector<std::size_t>& begun, const Assignment& assignment,
                        const IterationOutcome& outcome) {
  std::vector<std::size_t> suspects;
  Suspect found{begun.front(), assignment};
  for (const std::size_t p : begun) {
    const std::int64_t own_ns = outcome.cells[p].time_ns.value_or(0);
    if (own_ns > 0 && problems_[p].is_far_longer(own_ns)) {
      suspects.push_back(p);
      found.run_ns = std::max(found.run_ns, own_ns);
      const std::int64_t last_ns = p < last_.cells.size() ? last_.cells[p].time_ns.value_or(0) : 0;
      found.other_ns = std::max(problems_[p].shortest_first_run_ns(), last_ns);
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
    found.run_ns = makespan_ns;
    found.other_ns = std::max(shortest_->second, last_.makespan_ns.value_or(0));
    found.by_makespan = true;
  }
  suspects = suspects.empty() ? begun : suspects;
  if (slow && suspects.size() == 1 && found.is_slow()) {
    found.problem = suspects.front();
    suspect_ = found;
  }
}

/// Beside other configs, which may have their own first runs, a run says nothing.
bool FirstRuns::judge_suspect(const Assignment& assignment, const IterationOutcome& outcome) {
  std::optional<Suspect> suspect = std::exchange(suspect_, std::nullopt);
  if (!suspect || assignment != suspect->assignment) {
    return false;
  }
  const CellOutcome& cell = outcome.cells[suspect->problem];
  const std::int64_t again_ns = (suspect->by_makespan ? outcome.makespan_ns : cell.time_ns).value_or(0);
  suspect->run_ns = std::min(suspect->run_ns, again_ns);
  if (cell.launched && suspect->is_slow()) {
    problems_[suspect->problem].reject_slow(
        assignment[suspect->problem],
        Reason({.why = Why::slow_first_runs, .count = suspect->run_ns / 1'000'000}));
  }
  return true;
}

bool FirstRuns::Suspect::is_slow() const {
  constexpr std::int64_t long_run_ns = 20'000'000;
  return run_ns > long_run_ns && far_longer(run_ns, other_ns);
}

}  // namespace contextual::policy
