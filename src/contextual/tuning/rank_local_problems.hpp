#pragma once

/// \file
/// The problems that a rank tunes alone, in the batches that it runs with the others.

#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/tuning/own_continuation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// Plans and observes the `local` kernels of this rank. Not thread-safe.
class RankLocalProblems {
 public:
  using MarkRejected = std::function<void(const std::vector<policy::RejectionOutcome>&)>;

  /// The references outlive the object. `mark_rejected` tells launches what is rejected.
  RankLocalProblems(detail::RunContext& context, agreement::ProblemSet& set, OwnContinuation& continuation,
                    MarkRejected mark_rejected)
      : context_(context), set_(set), continuation_(continuation), mark_rejected_(std::move(mark_rejected)) {}

  /// Returns the plan of a batch of `length` iterations. Batches are counted from 1.
  std::vector<policy::IterationPlan> plan(std::size_t length, std::uint64_t batch);
  /// Takes in a batch that ran by `plan`. Call it before the exchange, which tells the other ranks whether
  /// this one still has problems of its own to tune.
  void observe(const std::vector<policy::IterationPlan>& plan, const detail::BatchResult& result,
               std::uint64_t batch);
  /// Returns what fails the batch: a problem of which no config is left. The other ranks are told that the
  /// region failed here. Null if there is none.
  detail::BatchFailure failure() const;

 private:
  policy::BatchOutcome outcome_of(std::size_t length, const detail::BatchResult& result) const;

  detail::RunContext& context_;
  agreement::ProblemSet& set_;
  OwnContinuation& continuation_;
  MarkRejected mark_rejected_;
  /// What the state has planned: more than what runs, where a part of an earlier run is repeated.
  std::vector<policy::IterationPlan> whole_plan_;
};

}  // namespace contextual::tuning
