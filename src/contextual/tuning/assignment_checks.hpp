#pragma once

/// \file
/// What the user says about assignments of configs: by the options, and by objects for their kernels.

#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/batch.hpp"
#include "contextual/launch/checks_of_kernels.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/policy/batch_outcome.hpp"

#include <contextual/options.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace contextual::tuning {

/// The checks of one run, asked on its thread, between runs of the region. Keeps references to all that it is
/// made of.
class AssignmentChecks {
 public:
  AssignmentChecks(const options::ResolvedOptions& options, const detail::RunContext& context);

  /// Takes in what objects have registered or taken back. Call it before a batch is planned and after it has
  /// settled.
  void refresh() { registered_ = detail::registered_checks(); }
  /// Notes which of the problems that have not joined yet have a registered `verify`, or outputs.
  void note_verified(detail::RunContext& context) const;

  /// Returns false if the options or an object rule out an assignment of these problems.
  bool feasible(const std::vector<detail::ProblemSlot*>& slots, const Assignment& assignment) const;

  /// Returns true if something is to be asked about the batch.
  bool any_verify(const detail::BatchResult& result) const;
  /// Asks all, and returns the first reason why a result is wrong; empty if all are right. Rethrows what is
  /// no ConfigRejected.
  std::string verdict(const detail::BatchResult& result, const IterationInfo& info) const;

  /// Tells the objects whose kernels have failed in a batch, by the outcome that all ranks agreed on.
  /// `slots` are the problems in the order of the outcome's.
  void tell_failure(const policy::BatchOutcome& outcome,
                    const std::vector<detail::ProblemSlot*>& slots) const;

 private:
  bool launched(const detail::ChecksOfKernels& checks, const detail::BatchResult& result) const;

  const options::ResolvedOptions& options_;
  const detail::RunContext& context_;
  std::vector<std::shared_ptr<const detail::ChecksOfKernels>> registered_;
};

}  // namespace contextual::tuning
