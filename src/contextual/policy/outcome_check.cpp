#include "contextual/policy/outcome_check.hpp"

#include "contextual/policy/options_check.hpp"

#include <string>

namespace contextual::policy {

void check_outcome(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome,
                   const std::vector<ProblemState>& problems) {
  require(outcome.iterations.size() <= plan.size(),
          "outcome of " + std::to_string(outcome.iterations.size()) + " tuning iterations for a batch of " +
              std::to_string(plan.size()));
  for (const IterationPlan& iteration : plan) {
    require(iteration.cells.size() <= problems.size() && iteration.cells.size() == plan.front().cells.size(),
            "plan with " + std::to_string(iteration.cells.size()) + " cells for " +
                std::to_string(problems.size()) + " tuning problems");
  }
  for (const IterationOutcome& iteration : outcome.iterations) {
    require(iteration.cells.size() == problems.size(),
            "outcome with " + std::to_string(iteration.cells.size()) + " cells for " +
                std::to_string(problems.size()) + " tuning problems");
  }
  check_rejections(outcome.rejections, problems);
}

void check_rejections(const std::vector<RejectionOutcome>& rejections,
                      const std::vector<ProblemState>& problems) {
  for (const RejectionOutcome& rejection : rejections) {
    require(rejection.problem < problems.size() &&
                rejection.config_id < problems[rejection.problem].record().configs.size(),
            "rejection of a tuning problem or config that does not exist: problem " +
                std::to_string(rejection.problem) + ", config " + std::to_string(rejection.config_id));
  }
}

}  // namespace contextual::policy
