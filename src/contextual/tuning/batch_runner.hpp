#pragma once

/// \file
/// Runs the region once for each tuning iteration of a batch, with the user's hooks around it.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/timer.hpp>

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace contextual::tuning {

/// Between `begin_iteration` and `end_iteration` the calling thread's launches belong to the run. Used by one
/// thread.
class BatchRunner {
 public:
  BatchRunner(detail::RunContext& context, const options::ResolvedOptions& options, Watchdog& watchdog)
      : context_(context), options_(options), watchdog_(watchdog) {}

  void begin_batch(const detail::BatchPlan& plan);

  /// The hook before the region, then the thread becomes the region's. Returns whether the region is to be
  /// run: not where the hook threw, which is the batch's failure then.
  bool begin_iteration(const detail::BatchPlan& plan);
  /// The region has returned, or thrown what is given. The hook after it follows a region that returned. The
  /// first failure ends the batch.
  void end_iteration(const detail::BatchPlan& plan, std::exception_ptr thrown);

  /// Every tuning iteration of the batch has been run, or one of them failed.
  bool complete(const detail::BatchPlan& plan) const noexcept {
    return failure_ || iterations_.size() == plan.length();
  }
  const detail::BatchFailure& failure() const noexcept { return failure_; }
  /// For the settle: the iterations that were run to their end.
  std::vector<IterationTiming>& iterations() noexcept { return iterations_; }

 private:
  void check_region_left_well();

  detail::RunContext& context_;
  const options::ResolvedOptions& options_;
  Watchdog& watchdog_;
  detail::BatchFailure failure_;
  std::vector<IterationTiming> iterations_;

  // Of the tuning iteration that is under way.
  IterationTiming timing_;
  std::optional<detail::ThreadStateScope> hooks_;
  std::optional<detail::ThreadStateScope> region_;
  std::optional<Watchdog::Section> watched_;
};

/// What an exception is for the batch in which it was thrown.
detail::BatchFailure failure_of(const std::exception_ptr& thrown);

/// Of a region that returned too early.
[[noreturn]] void throw_outlived_guard(const std::string& region);

}  // namespace contextual::tuning
