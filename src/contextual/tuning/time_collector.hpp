#pragma once

/// \file
/// Ends a batch on this rank: waits, bounded, for the region's work, and reads its times.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/timer.hpp>

#include <exception>
#include <span>
#include <vector>

namespace contextual::tuning {

/// Computes the result of a batch from the records of its launches.
class TimeCollector {
 public:
  /// All outlive the object.
  TimeCollector(detail::RunContext& context, const Watchdog::Watch& watch,
                const options::ResolvedOptions& options)
      : context_(context), watch_(watch), options_(options) {}

  /// Waits no longer than the deadline. `iterations` are those that ran to their end. If the wait fails, the
  /// batch fails with that error, unless the region failed before with `failure`.
  detail::BatchResult settle(const detail::BatchPlan& plan, std::vector<IterationTiming>& iterations,
                             const detail::BatchFailure& failure);

 private:
  void collect(const detail::BatchPlan& plan);
  void wait(const detail::BatchPlan& plan, std::vector<IterationTiming>& iterations,
            detail::BatchResult& result);
  void keep_device_failure(const DeviceError& error, const detail::BatchPlan& plan,
                           detail::BatchResult& result);
  void drop_unplanned(detail::BatchResult& result);
  void fill_cells(detail::BatchResult& result, std::size_t length) const;
  void fill_overlaps(detail::BatchResult& result, std::span<const IterationTiming> iterations) const;

  detail::RunContext& context_;
  const Watchdog::Watch& watch_;
  const options::ResolvedOptions& options_;
  // State of the batch that is being settled. Members, so that their memory is reused.
  std::vector<detail::LaunchRecord*> records_;
  std::vector<detail::LaunchRecord*> untimed_;  ///< of choice points, whose alternatives have times
  std::vector<LaunchTiming> timings_;
};

/// Describes an exception as the failure of the batch in which it was thrown. `thrown` must not be null.
detail::BatchFailure failure_of(const std::exception_ptr& thrown);
/// The same for what was thrown before this rank has launched anything of the batch.
detail::BatchFailure failure_before_launch(const std::exception_ptr& thrown);

}  // namespace contextual::tuning
