#pragma once

/// \file
/// The end of a batch on this rank: wait, bounded, for the region's work, and read what it took.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/tuning/batch_runner.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <chrono>
#include <vector>

namespace contextual::tuning {

/// Makes a batch's result of what its launches noted down.
class Settlement {
 public:
  Settlement(detail::RunContext& context, Watchdog& watchdog, std::chrono::milliseconds deadline)
      : context_(context), watchdog_(watchdog), deadline_(deadline) {}

  /// Waits until the deadline at most; a wait that fails is the batch's failure, unless the region failed
  /// before.
  detail::BatchResult settle(const detail::BatchPlan& plan, BatchRunner& runner);

 private:
  void collect(const detail::BatchPlan& plan);
  void wait(const detail::BatchPlan& plan, std::vector<IterationTiming>& iterations,
            detail::BatchResult& result);
  void keep_device_failure(const DeviceError& error, const detail::BatchPlan& plan,
                           detail::BatchResult& result);
  void fill_cells(detail::BatchResult& result, std::size_t length) const;

  detail::RunContext& context_;
  Watchdog& watchdog_;
  std::chrono::milliseconds deadline_;
  // Of the batch that is being settled; kept, so that their memory is used again.
  std::vector<detail::LaunchRecord*> records_;
  std::vector<LaunchTiming> timings_;
};

}  // namespace contextual::tuning
