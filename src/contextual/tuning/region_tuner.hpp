#pragma once

/// \file
/// Runs the regions of one tuner, in every mode.

#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/rank_groups.hpp"
#include "contextual/tuning/region_start.hpp"
#include "contextual/tuning/revalidation.hpp"
#include "contextual/tuning/run_lock.hpp"
#include "contextual/tuning/run_reports.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/options.hpp>
#include <contextual/report.hpp>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// Decides what a call of a region is: a tuning run, a run with kept choices, or the region and nothing else.
/// Thread-safe; one call in mode tune runs at a time.
class RegionTuner {
 public:
  explicit RegionTuner(Options options)
      : options_(std::move(options)), bits_of_options_(options::bits_of_set(options_)) {}

  /// The options of one call, before those of the tuner and the environment.
  options::ResolvedOptions resolve(const Options& call) const;
  std::uint32_t region_id(const std::string& region, const options::ResolvedOptions& options) const;
  /// Returns the tuner's own options that a call inside of the region does not use, see bits_of_set: none if
  /// the region is one of this tuner, which they belong to then.
  std::uint64_t unused_options_in(std::uint32_t region_id) const;

  /// Returns whether every launch was of a problem that is tracked (see RunContext::most_problems).
  bool run(const std::string& region, const std::function<void()>& function,
           const options::ResolvedOptions& options, const Occasion& occasion);
  /// See ContextualAutotuner::load.
  bool load(const std::string& region, const options::ResolvedOptions& options);

  agreement::Exchange& exchange_for(const options::ResolvedOptions& options) {
    return groups_.exchange_for(options);
  }
  const RunReports& reports() const noexcept { return reports_; }
  Watchdog& watchdog() noexcept { return watchdog_; }

 private:
  /// In mode tune. Returns as `run`.
  bool tune(const RegionCall& call);
  struct AfterRun {
    bool all_tracked;  ///< see `run`
    AfterRevalidation revalidation;
    std::optional<RevalidationReport> compared;
  };
  /// A tuning run, from the meeting of the ranks to the report.
  AfterRun execute(const RegionCall& call, const Start& start);
  /// Modes use and off: the final run and nothing else.
  void run_once(const RegionCall& call);
  void warn_if_off(const RegionCall& call);

  Options options_;
  const std::uint64_t bits_of_options_;
  mutable std::mutex mutex_;
  std::set<std::uint32_t> own_regions_;  ///< that it has begun to run; guarded by the mutex
  RunLock run_lock_;
  RankGroups groups_;
  RunReports reports_;
  std::set<std::string> said_off_;  ///< regions; guarded by the lock
  Watchdog watchdog_;               ///< goes first, since its thread reads the reports
  RegionStart region_start_{groups_, reports_, watchdog_};
};

}  // namespace contextual::tuning
