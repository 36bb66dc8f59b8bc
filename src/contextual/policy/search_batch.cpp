#include "contextual/policy/search_batch.hpp"

#include <algorithm>

namespace contextual::policy {

std::vector<SearchRunPlan> search_batch(const std::vector<SearchTrial>& trials,
                                        const std::function<bool(const Assignment&)>& proven,
                                        const SearchBatchLimits& limits) {
  std::vector<SearchRunPlan> runs;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const Assignment& assignment = trials[t].assignment;
    const bool has_run = proven(assignment);
    const int samples = has_run ? std::max(0, trials[t].samples) : 0;
    const std::size_t count = 1 + static_cast<std::size_t>(samples);
    const bool fits = has_run && runs.size() + count <= limits.most_runs &&
                      (!limits.one_assignment || runs.empty() || runs.front().assignment == assignment);
    if (!runs.empty() && !fits) {
      break;
    }
    for (int run = 0; run <= samples; ++run) {
      runs.push_back({assignment, t, samples, run, 0});
    }
    if (!has_run) {
      break;
    }
  }
  return runs;
}

}  // namespace contextual::policy
