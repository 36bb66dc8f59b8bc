#pragma once

/// \file
/// Ends a batch on this rank: waits, bounded, for the region's work, and reads its times.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/tuning/batch_runner.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/iterations.hpp>

#include <chrono>
#include <span>
#include <vector>

namespace contextual::tuning {

/// Computes the result of a batch from the records of its launches.
class TimeCollector {
 public:
  TimeCollector(detail::RunContext& context, const Watchdog::Watch& watch, std::chrono::milliseconds deadline,
                Iterations iterations)
      : context_(context), watch_(watch), deadline_(deadline), iterations_(iterations) {}

  /// Waits no longer than the deadline. If the wait fails, the batch fails with that error, unless the region
  /// failed before.
  detail::BatchResult settle(const detail::BatchPlan& plan, BatchRunner& runner);

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
  std::chrono::milliseconds deadline_;
  Iterations iterations_;
  // State of the batch that is being settled. Members, so that their memory is reused.
  std::vector<detail::LaunchRecord*> records_;
  std::vector<detail::LaunchRecord*> untimed_;  ///< of choice points, whose alternatives have times
  std::vector<LaunchTiming> timings_;
};

}  // namespace contextual::tuning
