#include "contextual/policy/walk_plan.hpp"

#include <algorithm>

namespace contextual::policy {

std::size_t config_length(const PolicyOptions& options) {
  return static_cast<std::size_t>(options.n_warmup) + static_cast<std::size_t>(options.n_repeat);
}

std::size_t walk_length(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& walking,
                        const PolicyOptions& options, std::size_t longest) {
  const std::size_t whole_config = std::min(longest, config_length(options));
  auto length = static_cast<std::size_t>(options.settle_every);
  for (const std::size_t p : walking) {
    const ProblemState& problem = problems[p];
    if (length == 0) {
      const std::vector<Step> steps = problem.plan(whole_config);
      const auto change = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
        return step.config_id != steps.front().config_id;
      });
      length = static_cast<std::size_t>(change - steps.begin());
    }
    length = std::min(length, longest);
    length = std::min(length, problem.plan(length).size());
  }
  return length;
}

void plan_walks(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& walking,
                std::vector<IterationPlan>& batch) {
  for (const std::size_t p : walking) {
    const std::vector<Step> steps = problems[p].plan(batch.size());
    for (std::size_t i = 0; i < steps.size() && i < batch.size(); ++i) {
      batch[i].cells[p] = {Cell::Role::step, steps[i].config_id, steps[i].iteration, steps[i].warmup};
    }
  }
}

}  // namespace contextual::policy
