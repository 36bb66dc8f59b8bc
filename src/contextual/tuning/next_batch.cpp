#include "contextual/tuning/next_batch.hpp"

#include <optional>
#include <utility>

namespace contextual::tuning {

using detail::BatchKind;

namespace {

/// Returns true if the batch is the next one of the earlier run. Where problems had joined in it, a part of
/// it is run again.
bool plan_as_earlier(Batch& batch, const policy::TuningState& state, Continuation& continuation) {
  const journal::BatchRecord* const then = continuation.next();
  if (then == nullptr) {
    return false;
  }
  batch.whole_plan = state.plan(then->length);
  batch.plan.iterations = batch.whole_plan;
  if (then->repeat_length > 0) {
    batch.plan.iterations.resize(then->repeat_length);
    return true;
  }
  if (continuation.fits(batch.whole_plan, batch.joined_before)) {
    batch.known = true;
    batch.agreed.outcome = then->outcome;
  }
  return batch.known;
}

/// What is in quarantine counts as infeasible.
void plan_anew(Batch& batch, const policy::TuningState& state, Continuation& continuation) {
  if (state.done()) {
    batch.plan.kind = BatchKind::final_run;
  }
  const bool tuning = batch.plan.kind == BatchKind::tuning;
  std::vector<policy::IterationPlan>& whole = batch.whole_plan;
  whole = state.plan(tuning ? state.suggested_length() : 1);
  std::size_t length = continuation.length_alone(whole);
  if (tuning) {
    if (auto outcome = continuation.outcome_in_quarantine(whole.front())) {
      batch.known = true;
      batch.agreed.outcome = *std::move(outcome);
      length = 1;
    }
  }
  if (length < whole.size()) {
    whole = state.plan(length);
  }
  batch.plan.iterations = whole;
}

}  // namespace

void plan_next(Batch& batch, const agreement::ProblemSet& problems, Continuation& continuation) {
  const policy::TuningState& state = problems.state();
  const Phase before = batch.plan.phase();
  batch = {};
  batch.joined_before = problems.slots().size();
  batch.plan.phases = {before};
  batch.plan.first_iteration = state.iterations();
  batch.plan.kind = state.iterations() == 0 ? BatchKind::discovery : BatchKind::tuning;
  if (!plan_as_earlier(batch, state, continuation)) {
    plan_anew(batch, state, continuation);
  }
  batch.plan.phases.clear();
  for (const policy::IterationPlan& iteration : batch.plan.iterations) {
    batch.plan.phases.push_back(iteration.phase);
  }
}

}  // namespace contextual::tuning
