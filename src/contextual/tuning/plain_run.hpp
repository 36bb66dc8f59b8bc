#pragma once

/// \file
/// A `run` with nothing to tune: one call of the region and, with several ranks, one small collective after
/// it.

#include "contextual/agreement/exchange.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/blocked_rank.hpp"
#include "contextual/tuning/run_reports.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/phase.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace contextual::tuning {

/// Runs a region once with the configs locked in for it, between the user's hooks, without timer or launch
/// records; it writes to the log only if it is blocked. The ranks must have agreed before that none of them
/// has anything to tune.
class PlainRun {
 public:
  /// The references must outlive the object.
  PlainRun(const options::ResolvedOptions& options, const std::string& region, std::uint32_t region_id,
           const RunReports& reports, agreement::Exchange& exchange, Watchdog& watchdog)
      : options_(options),
        region_(region),
        region_id_(region_id),
        exchange_(exchange),
        watch_(watch_of_call(watchdog, options, region, reports, AfterGrace::leave)) {}

  /// Returns true if all ranks must tune after all, because one of them launched something new or rejected a
  /// choice. Throws on all ranks if the region or a hook threw on one of them.
  bool execute(const std::function<void()>& region);

 private:
  /// Runs the region between its hooks. Returns true if this rank launched something new or rejected a
  /// choice.
  bool run(const std::function<void()>& region);

  const options::ResolvedOptions& options_;
  const std::string& region_;
  std::uint32_t region_id_;
  agreement::Exchange& exchange_;
  Watchdog::Watch watch_;
};

}  // namespace contextual::tuning
