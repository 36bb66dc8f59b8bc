#include "contextual/policy/walk_plan.hpp"

#include <algorithm>

namespace contextual::policy {

std::size_t config_length(const PolicyOptions& options) {
  return static_cast<std::size_t>(options.n_warmup) + static_cast<std::size_t>(options.n_repeat);
}

std::size_t walk_length(const std::vector<ProblemState>& problems, const std::vector<std::size_t>& walking,
                        const PolicyOptions& options, std::size_t longest) {
  const std::vector<Step> steps = problems[walking.front()].plan(std::min(longest, config_length(options)));
  const auto change = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
    return step.config_id != steps.front().config_id;
  });
  auto length = static_cast<std::size_t>(change - steps.begin());
  for (const std::size_t p : walking) {
    length = std::min(length, problems[p].plan(length).size());
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
