#pragma once

/// \file
/// A `run` with nothing to tune: one call of the region and, with several ranks, one small collective after
/// it.

#include "contextual/agreement/exchange.hpp"
#include "contextual/tuning/region_call.hpp"
#include "contextual/tuning/run_reports.hpp"
#include "contextual/tuning/watchdog.hpp"

namespace contextual::tuning {

/// Runs a region once with the configs locked in for it, between the user's hooks, without timer or launch
/// records; it writes to the log only if it is blocked. The ranks must have agreed before that none of them
/// has anything to tune. Returns false if all ranks must tune after all, because one of them launched
/// something new or rejected a choice. Throws on all ranks if the region or a hook threw on one.
bool run_plainly(const RegionCall& call, const RunReports& reports, agreement::Exchange& exchange,
                 Watchdog& watchdog);

}  // namespace contextual::tuning
