#pragma once

/// \file
/// What the user says about assignments of configs: by the options, and by objects for their kernels.

#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/batch.hpp"
#include "contextual/launch/checks_of_kernels.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/policy/batch_outcome.hpp"
#include "contextual/tuning/output_checks.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/options.hpp>

#include <memory>
#include <string>
#include <vector>

namespace contextual::tuning {

/// The checks of one run, on its thread, between runs of the region: `refresh` before a batch is planned,
/// `begin` before it runs, `judge` when it has settled, and `end` when the ranks have agreed on it. Keeps
/// references to all that it is made of.
class AssignmentChecks {
 public:
  AssignmentChecks(const options::ResolvedOptions& options, detail::RunContext& context,
                   const agreement::ProblemSet& problems, const Watchdog::Watch& watch);

  /// Takes in what objects have registered or taken back.
  void refresh();
  /// Returns false if the options or an object rule out an assignment of the problems.
  bool feasible(const Assignment& assignment) const;
  /// Returns false if they rule out the defaults of what is not pinned.
  bool allow_defaults() const;

  /// Returns true if copies of the user's buffers are taken, for which there may be no memory.
  bool copies_buffers() const;
  /// Finds memory for what `begin` copies, and for what outputs will be compared with. What that throws
  /// becomes the failure of the batch.
  void find_room(const detail::BatchPlan& plan, detail::BatchResult& result);
  /// Takes copies of what is to be restored before anything has changed it, and fills the outputs. What that
  /// throws becomes the failure of the batch.
  void begin(const detail::BatchPlan& plan, detail::BatchResult& result);
  /// Sets the verdict on the batch, which has one assignment of configs while there is a `verify`, or are
  /// outputs: the first reason why a result is wrong.
  void judge(const detail::BatchPlan& plan, detail::BatchResult& result);
  /// What is expected of outputs is taken over if nothing in the batch has failed on any rank: it
  /// `succeeded`. Returns what is to be said.
  std::vector<std::string> end(const detail::BatchPlan& plan, bool succeeded);
  /// Returns false if the region has not repeated its outputs on this rank, so that none could be judged.
  bool outputs_repeat() const noexcept { return outputs_.repeat(); }
  /// Tells the objects whose kernels have failed in a batch, by the outcome that all ranks agreed on.
  void tell_failure(const detail::BatchPlan& plan, const policy::BatchOutcome& outcome) const;

 private:
  void note_verified();
  bool verifies(const detail::ChecksOfKernels& checks, const detail::BatchResult& result) const;
  Assignment assignment_of(const detail::BatchPlan& plan) const;

  const options::ResolvedOptions& options_;
  detail::RunContext& context_;
  const agreement::ProblemSet& problems_;
  const Watchdog::Watch& watch_;
  const std::shared_ptr<const detail::ChecksOfKernels> of_options_;
  OutputChecks outputs_;
  std::vector<std::shared_ptr<const detail::ChecksOfKernels>> all_;  ///< those of the options first
};

}  // namespace contextual::tuning
