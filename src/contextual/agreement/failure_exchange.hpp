#pragma once

/// \file
/// Ends a failed run: the ranks tell each other what failed, and all of them throw.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"

#include <nlohmann/json_fwd.hpp>

namespace contextual::agreement {

/// All member functions but `told` and `by_device` are collective. All ranks call the same one, because they
/// saw the same header.
class FailureExchange {
 public:
  FailureExchange(Exchange& exchange, detail::RunContext& context, const ProblemSet& problems)
      : exchange_(exchange), context_(context), problems_(problems) {}

  /// Returns true if the other ranks know what failed on this rank.
  bool told() const noexcept { return told_; }
  /// Returns true if a rank's device has failed, as all ranks know.
  bool by_device() const noexcept { return by_device_; }

  /// A rank whose region threw rethrows that exception unchanged; the others throw RegionFailedError. All
  /// ranks throw RankMismatchError if no rank says that its region threw.
  [[noreturn]] void throw_region_failure(const detail::BatchFailure& own);
  /// All ranks throw TuningFailedError with the reasons of every rank. `own` is empty on a rank that has
  /// configs left.
  [[noreturn]] void throw_tuning_failure(const detail::BatchFailure& own);
  /// All ranks throw RankMismatchError, which says what differs in the batch and between which ranks.
  [[noreturn]] void throw_mismatch(const Agreement& agreement, const detail::BatchPlan& plan);

 private:
  nlohmann::json reasons_of_this_rank(const detail::BatchFailure& own) const;

  Exchange& exchange_;
  detail::RunContext& context_;
  const ProblemSet& problems_;
  bool told_ = false;
  bool by_device_ = false;
};

}  // namespace contextual::agreement
