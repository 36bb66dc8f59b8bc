#pragma once

/// \file
/// Runs the region once for each tuning iteration of a batch, with the user's hooks around it.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/timer.hpp>

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace contextual::tuning {

/// Between `begin_iteration` and `end_iteration` the calling thread's launches belong to the run. One thread
/// uses it.
class BatchRunner {
 public:
  BatchRunner(detail::RunContext& context, const options::ResolvedOptions& options,
              const Watchdog::Watch& watch)
      : context_(context), options_(options), watch_(watch) {}

  void begin_batch(const detail::BatchPlan& plan);

  /// Calls the hook before the region, then makes the calling thread the region's. Returns false if the
  /// region must not run, because the hook threw; the batch has failed then.
  bool begin_iteration(const detail::BatchPlan& plan);
  /// Call it when the region has returned, or has thrown `thrown`. Calls the hook after the region if the
  /// region returned. The first failure ends the batch.
  void end_iteration(const detail::BatchPlan& plan, std::exception_ptr thrown);

  /// Returns true if all tuning iterations of the batch have run, or one of them has failed.
  bool complete(const detail::BatchPlan& plan) const noexcept {
    return failure_ || iterations_.size() == plan.length();
  }
  const detail::BatchFailure& failure() const noexcept { return failure_; }
  /// Returns the iterations that ran to their end, for the settle.
  std::vector<IterationTiming>& iterations() noexcept { return iterations_; }

 private:
  void check_region_left_well();

  detail::RunContext& context_;
  const options::ResolvedOptions& options_;
  const Watchdog::Watch& watch_;
  detail::BatchFailure failure_;
  std::vector<IterationTiming> iterations_;

  // State of the current tuning iteration.
  IterationTiming timing_;
  std::optional<detail::ThreadStateScope> hooks_;
  std::optional<detail::ThreadStateScope> region_;
  std::optional<Watchdog::Section> watched_;
};

/// Describes an exception as the failure of the batch in which it was thrown. `thrown` must not be null.
detail::BatchFailure failure_of(const std::exception_ptr& thrown);

/// Of a region that returned too early.
[[noreturn]] void throw_outlived_guard(const std::string& region);

}  // namespace contextual::tuning
