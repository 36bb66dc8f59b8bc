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
  std::size_t joined_before = 0;  ///< problems known before the batch
  bool launched = false;          ///< the region has been run, or tried to be
  detail::BatchResult result{};
  agreement::BatchAgreement::Agreed agreed{};
  agreement::BatchAgreement::FinalRun final_run{};
};

/// Puts the next batch, as the state plans it, in the place of the last one. If that throws, `batch` is the
/// next one, but not planned to the end.
void plan_next(Batch& batch, const agreement::ProblemSet& problems, const Continuation& continuation);

}  // namespace contextual::tuning
