#include "contextual/policy/walk_log.hpp"

#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <utility>

namespace contextual::policy {

Assignment project(const Assignment& assignment, const std::vector<std::size_t>& members) {
  Assignment projected;
  projected.reserve(members.size());
  for (const std::size_t member : members) {
    projected.push_back(assignment[member]);
  }
  return projected;
}

SearchSample& WalkLog::sample_of(const Assignment& assignment) {
  const auto known = std::find_if(samples_.rbegin(), samples_.rend(),
                                  [&](const SearchSample& s) { return s.assignment == assignment; });
  return known != samples_.rend() ? *known : samples_.emplace_back(SearchSample{assignment, {}});
}

void WalkLog::note(const IterationOutcome& outcome) {
  has_succeeded_ = has_succeeded_ || outcome.infeasible.empty();
  has_makespans_ = has_makespans_ || outcome.makespan_ns.value_or(0) > 0;
}

void WalkLog::add(const Assignment& assignment, const IterationOutcome& outcome) {
  SearchRun run;
  run.makespan_ns = outcome.makespan_ns;
  run.times_ns.reserve(outcome.cells.size());
  for (const CellOutcome& cell : outcome.cells) {
    run.times_ns.push_back(cell.time_ns);
  }
  sample_of(assignment).runs.push_back(std::move(run));
}

bool WalkLog::has_measured(const Assignment& assignment) const {
  return std::any_of(samples_.begin(), samples_.end(), [&](const SearchSample& sample) {
    return sample.assignment == assignment &&
           std::any_of(sample.runs.begin(), sample.runs.end(),
                       [](const SearchRun& run) { return run.makespan_ns.has_value(); });
  });
}

void WalkLog::drop(const Assignment& assignment) {
  std::erase_if(samples_, [&](const SearchSample& sample) { return sample.assignment == assignment; });
}

std::vector<SearchSample> WalkLog::samples_of(const std::vector<std::size_t>& members,
                                              const Assignment& base) const {
  std::vector<SearchSample> samples;
  for (const SearchSample& sample : samples_) {
    Assignment others = sample.assignment;
    for (const std::size_t member : members) {
      others[member] = base[member];
    }
    if (others != base) {
      continue;
    }
    SearchSample& projected = samples.emplace_back(SearchSample{project(sample.assignment, members), {}});
    for (const SearchRun& run : sample.runs) {
      SearchRun& of_members = projected.runs.emplace_back(SearchRun{run.makespan_ns, {}});
      for (const std::size_t member : members) {
        of_members.times_ns.push_back(run.times_ns[member]);
      }
    }
  }
  return samples;
}

}  // namespace contextual::policy
