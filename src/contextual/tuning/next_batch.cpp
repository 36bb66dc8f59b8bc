#include "contextual/tuning/next_batch.hpp"

namespace contextual::tuning {

using detail::BatchKind;

void plan_next(Batch& batch, const agreement::ProblemSet& problems, const Continuation& continuation) {
  const policy::TuningState& state = problems.state();
  const Phase before = batch.plan.phase();
  batch = {};
  batch.joined_before = problems.slots().size();
  batch.plan.phases = {before};
  batch.plan.first_iteration = state.iterations();
  batch.plan.kind = state.done()              ? BatchKind::final_run
                    : state.iterations() == 0 ? BatchKind::discovery
                                              : BatchKind::tuning;
  std::vector<policy::IterationPlan>& plan = batch.plan.iterations;
  plan = state.plan(batch.plan.kind == BatchKind::tuning ? state.suggested_length() : 1);
  if (const std::size_t length = continuation.length_of(plan); length < plan.size()) {
    plan = state.plan(length);
  }
  batch.plan.phases.clear();
  for (const policy::IterationPlan& iteration : plan) {
    batch.plan.phases.push_back(iteration.phase);
  }
}

}  // namespace contextual::tuning
