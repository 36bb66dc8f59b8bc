#pragma once

/// \file
/// What the next batch launches is loaded and prepared while no region work is in flight. What cannot be
/// prepared on one rank is launched on none.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <exception>
#include <vector>

namespace contextual::tuning {

/// Calls the kernels' `preload` and `prepare`, each at most once a config and run.
class Preparation {
 public:
  Preparation(detail::RunContext& context, Watchdog& watchdog) : context_(context), watchdog_(watchdog) {}

  /// Loads the default of every living kernel: which of them the region launches is not known yet.
  void preload();

  struct Result {
    bool everywhere = false;  ///< shared problems had something to prepare: so they have on all ranks
    std::vector<policy::RejectionOutcome> shared;  ///< what could not be prepared, of shared problems
    std::vector<policy::RejectionOutcome> own;     ///< the same of problems that this rank has alone
    std::exception_ptr device_failure;             ///< the device was lost: no config is to blame
  };
  /// Prepares what the plan's cells, and their fallbacks, need. What this rank comes to launch later than the
  /// others do, and cannot prepare, is rejected with the next batch.
  Result prepare(const detail::BatchPlan& plan);

 private:
  std::vector<policy::RejectionOutcome> prepare_slot(detail::ProblemSlot& slot,
                                                     const std::vector<std::size_t>& configs,
                                                     const detail::BatchPlan& plan);

  detail::RunContext& context_;
  Watchdog& watchdog_;
  std::exception_ptr device_failure_;
};

}  // namespace contextual::tuning
