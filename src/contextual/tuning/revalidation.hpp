#pragma once

/// \file
/// Compares choices of an earlier process with the defaults.

#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/paired_timing.hpp"

#include <contextual/report.hpp>

#include <functional>

namespace contextual::tuning {

/// Runs the closing comparison of a search, and nothing else of it: rounds of what is locked in and of all
/// defaults. The defaults win by the same rule. Collective. Throws on all ranks if the region threw on one.
RevalidationReport revalidate(const options::ResolvedOptions& options, PairedTiming& turns,
                              const std::function<void()>& region);

/// What follows from that.
enum class AfterRevalidation { choices_stay, defaults_are_used, tune_again };

/// Says in the report of the run, of what was locked in before, why that was chosen. `kept` is the report of
/// the kept choices.
void describe_kept(const RegionReport& kept, AfterRevalidation after, RegionReport& report);

}  // namespace contextual::tuning
