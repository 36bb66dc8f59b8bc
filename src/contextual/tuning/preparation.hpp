#pragma once

/// \file
/// What the next batch launches is loaded and prepared while no region work is in flight. What cannot be
/// prepared on one rank is launched on none.

#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <exception>
#include <vector>

namespace contextual::tuning {

/// Calls the kernels' `preload` and `prepare`, each at most once a config and run.
class Preparation {
 public:
  Preparation(detail::RunContext& context, const agreement::Problems& problems, Watchdog& watchdog)
      : context_(context), problems_(problems), watchdog_(watchdog) {}

  /// Loads the default of every living kernel: which of them the region launches is not known yet.
  void preload();

  struct Result {
    bool something = false;   ///< was prepared on this rank
    bool everywhere = false;  ///< shared problems had something to prepare: so they have on all ranks
    std::vector<policy::RejectionOutcome> shared;  ///< what could not be prepared, of shared problems
    std::vector<policy::RejectionOutcome> own;     ///< the same of problems that this rank has alone
    std::exception_ptr device_failure;             ///< the device was lost: no config is to blame
  };
  /// Prepares what the cells that the slots show, and their fallbacks, need. What this rank comes to launch
  /// later than the others do, and cannot prepare, counts as rejected by a launch of the batch.
  Result prepare(const detail::BatchPlan& plan);

  /// Per config, whether it has been prepared on this rank; empty where nothing needs preparing.
  std::vector<bool> prepared_here(const detail::ProblemSlot& slot);

 private:
  /// By config.
  struct Prepared {
    std::vector<bool> anywhere;  ///< on all ranks that launch it
    std::vector<bool> here;
  };
  Prepared& prepared(const detail::ProblemSlot& slot);
  std::vector<policy::RejectionOutcome> prepare_slot(detail::ProblemSlot& slot,
                                                     const std::vector<std::size_t>& configs,
                                                     const detail::BatchPlan& plan);

  detail::RunContext& context_;
  const agreement::Problems& problems_;
  Watchdog& watchdog_;
  std::vector<Prepared> prepared_;  ///< by slot
  std::exception_ptr device_failure_;
};

}  // namespace contextual::tuning
