#pragma once

/// \file
/// Choices that outlive the process: writes those of a tuning run that is over.

#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/tuning_run.hpp"

#include <contextual/detail/storage/machine.hpp>

#include <set>
#include <string>
#include <vector>

namespace contextual::tuning {

/// Writes the lasting choices of a run, if something was chosen. Call it on rank 0; `machines` are those of
/// all ranks, and `refused` the ids of kept sets that some rank could not use. Returns what went wrong, or an
/// empty text.
std::string write_kept_choices(const options::ResolvedOptions& options, const std::string& region,
                               const TuningRun& run, const std::vector<detail::Machine>& machines,
                               const std::set<std::string>& refused);

}  // namespace contextual::tuning
