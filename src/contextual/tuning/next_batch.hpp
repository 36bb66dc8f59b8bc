#pragma once

/// \file
/// The batch that comes next in a tuning run.

#include "contextual/agreement/batch_agreement.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/batch.hpp"
#include "contextual/tuning/continuation.hpp"

#include <cstddef>
#include <vector>

namespace contextual::tuning {

/// A batch on its way through the loop.
struct Batch {
  detail::BatchPlan plan{detail::BatchKind::discovery, 0, {Phase::walk}, {}};
  /// What the state has planned: more than `plan` has, where a part of an earlier run is repeated.
  std::vector<policy::IterationPlan> whole_plan{};
  std::size_t joined_before = 0;  ///< problems known before the batch
  bool known = false;             ///< its outcome is known without a run
  bool launched = false;          ///< the region has been run, or tried to be
  detail::BatchResult result{};
  agreement::BatchAgreement::Agreed agreed{};
  agreement::BatchAgreement::FinalRun final_run{};
};

/// Puts the next batch in the place of the last one: as the earlier run had it, as long as that is followed,
/// else as the state plans it. If that throws, `batch` is the next one, but not planned to the end.
void plan_next(Batch& batch, const agreement::ProblemSet& problems, Continuation& continuation);

}  // namespace contextual::tuning
