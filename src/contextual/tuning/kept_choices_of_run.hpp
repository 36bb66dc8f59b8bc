#pragma once

/// \file
/// Choices that outlive the process: writes those of a tuning run that is over.

#include "contextual/agreement/exchange.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/tuning_run.hpp"

#include <string>
#include <vector>

namespace contextual::tuning {

/// Writes the lasting choices of a run on rank 0, if a rank has chosen something. `machines` are those of all
/// ranks. Returns what went wrong on rank 0, or an empty text. Collective where the run's last exchange has
/// shown a difference: the ranks then tell rank 0 which kernels they have launched and what they have chosen
/// for `local` ones. Throws RankMismatchError and CommunicationError.
std::string write_kept_choices(agreement::Exchange& exchange, const options::ResolvedOptions& options,
                               const std::string& region, const TuningRun& run,
                               const std::vector<std::string>& machines);

}  // namespace contextual::tuning
