#pragma once

/// \file
/// Choices that outlive the process: writes those of a tuning run that is over.

#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/tuning_run.hpp"

#include <string>
#include <vector>

namespace contextual::tuning {

/// Writes the lasting choices of a run, if something was chosen. Call it on rank 0; `machines` are those of
/// all ranks. Returns what went wrong, or an empty text.
std::string write_kept_choices(const options::ResolvedOptions& options, const std::string& region,
                               const TuningRun& run, const std::vector<std::string>& machines);

}  // namespace contextual::tuning
