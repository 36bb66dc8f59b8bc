#pragma once

/// \file
/// Runs the tuning iterations of a batch, and reads their times.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/time_collector.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/search.hpp>
#include <contextual/timer.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <vector>

namespace contextual::tuning {

/// While the region runs, the calling thread's launches belong to the tuning run. One thread uses it.
class BatchRunner {
 public:
  /// All outlive the object.
  BatchRunner(detail::RunContext& context, const options::ResolvedOptions& options,
              const Watchdog::Watch& watch)
      : context_(context), options_(options), watch_(watch), time_collector_(context, watch, options) {}

  /// Runs the region once for each tuning iteration of the plan, with the user's hooks around it, and
  /// settles. The first failure ends the batch. `defaults`: what the problems use that are not tuned.
  /// `head_start`: see BatchStart.
  detail::BatchResult run(const detail::BatchPlan& plan, const Assignment& defaults,
                          std::chrono::nanoseconds head_start, const std::function<void()>& region);

 private:
  void run_iteration(const detail::BatchPlan& plan, std::size_t index, const std::function<void()>& region);
  void run_region(const detail::BatchPlan& plan, std::size_t index, const std::function<void()>& region);
  void check_region_left_well();

  detail::RunContext& context_;
  const options::ResolvedOptions& options_;
  const Watchdog::Watch& watch_;
  TimeCollector time_collector_;
  Assignment defaults_;                                      ///< in the batch
  std::vector<IterationTiming> iterations_;                  ///< of the batch: those that have settled
  std::map<std::size_t, std::exception_ptr> out_of_memory_;  ///< see BatchResult
};

}  // namespace contextual::tuning
