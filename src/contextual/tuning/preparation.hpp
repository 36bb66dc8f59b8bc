#pragma once

/// \file
/// Loads and prepares what the next batch launches while no region work is in flight. A config that one rank
/// cannot prepare is launched on no rank.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <exception>
#include <vector>

namespace contextual::tuning {

/// Calls the kernels' `preload` at most once per config and run, and their `prepare` at most once per config,
/// tuning problem and run.
class Preparation {
 public:
  Preparation(detail::RunContext& context, Watchdog& watchdog) : context_(context), watchdog_(watchdog) {}

  /// Loads the default of every living kernel, because it is not known yet which of them the region launches.
  void preload();

  struct Result {
    bool everywhere = false;  ///< true if shared problems had something to prepare; equal on all ranks
    std::vector<policy::RejectionOutcome> shared;  ///< configs of shared problems that could not be prepared
    std::vector<policy::RejectionOutcome> own;     ///< the same for the problems that this rank has alone
    std::exception_ptr device_failure;             ///< set if the device was lost, so no config is to blame
  };
  /// Prepares the configs of the plan's cells and their fallbacks. If this rank launches a problem only after
  /// the others have prepared its configs, a config that it cannot prepare is rejected with the next batch.
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
