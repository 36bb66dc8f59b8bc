#include "contextual/tuning/rank_local_problems.hpp"

#include "contextual/agreement/joining.hpp"
#include "contextual/tuning/batch_runner.hpp"

#include <contextual/error.hpp>

#include <exception>
#include <optional>

namespace contextual::tuning {

using detail::ProblemSlot;
using policy::IterationPlan;

/// In a batch that is run again only in part, the own problems go by all of it.
std::vector<IterationPlan> RankLocalProblems::plan(std::size_t length, std::uint64_t batch) {
  const std::size_t then = continuation_.length(batch).value_or(length);
  whole_plan_ = set_.state().plan(then);
  std::vector<IterationPlan> plan = length > then ? set_.state().plan(length) : whole_plan_;
  plan.resize(length);
  return plan;
}

void RankLocalProblems::observe(const std::vector<IterationPlan>& plan, const detail::BatchResult& result,
                                std::uint64_t batch) {
  const std::size_t joined_before = set_.slots().size();
  for (ProblemSlot* slot : agreement::newly_seen(context_, agreement::Deciders::this_rank)) {
    set_.spaces().add(*slot);
    set_.join(*slot, context_.alternative(slot->problem.scope));
  }
  policy::BatchOutcome outcome = outcome_of(plan.size(), result);
  if (auto then = continuation_.outcome(batch, whole_plan_, joined_before, outcome.rejections)) {
    outcome = *std::move(then);
  } else {
    whole_plan_ = plan;
    continuation_.write(batch, plan, outcome, joined_before);
  }
  mark_rejected_(outcome.rejections);
  set_.state().observe(whole_plan_, outcome);
}

policy::BatchOutcome RankLocalProblems::outcome_of(std::size_t length,
                                                   const detail::BatchResult& result) const {
  policy::BatchOutcome outcome;
  outcome.rejections = set_.rejections_of_batch();
  for (std::size_t i = 0; i < length; ++i) {
    policy::IterationOutcome& iteration = outcome.iterations.emplace_back();
    iteration.makespan_ns = result.makespans_ns[i];
    for (const ProblemSlot* slot : set_.slots()) {
      const detail::LocalCell& cell = result.cells[slot->index][i];
      iteration.cells.push_back({cell.launched, cell.time_ns, result.disturbed()});
    }
  }
  return outcome;
}

detail::BatchFailure RankLocalProblems::failure() const {
  try {
    set_.throw_if_failed(context_.region());
    return {};
  } catch (const TuningFailedError&) {
    detail::BatchFailure failure = failure_of(std::current_exception());
    failure.tuning_failed = false;
    return failure;
  }
}

}  // namespace contextual::tuning
