#pragma once

/// \file
/// Compares choices of an earlier process with the defaults.

#include "contextual/record/recorder.hpp"
#include "contextual/tuning/paired_timing.hpp"
#include "contextual/tuning/region_call.hpp"
#include "contextual/tuning/tuning_run.hpp"

#include <contextual/report.hpp>

namespace contextual::tuning {

/// What follows from such a comparison.
enum class AfterRevalidation { choices_stay, defaults_are_used, tune_again };

/// Runs the closing comparison of a search, and nothing else of it: rounds of what is locked in and of all
/// defaults. The defaults win by the same rule, and are then locked in for what was not pinned, unless the
/// region is to be tuned again. Says in the report what came of it. Call it after a run with kept choices.
/// Collective. Throws on all ranks if the region threw on one.
AfterRevalidation compare_with_defaults(const RegionCall& call, const TuningRun& run, PairedTiming& turns,
                                        record::Recorder& recorder);

/// Says in the report of the run, of what was locked in before, why that was chosen. `kept` is the report of
/// the kept choices.
void describe_kept(const RegionReport& kept, AfterRevalidation after, RegionReport& report);

}  // namespace contextual::tuning
