#pragma once

/// \file
/// The first exchange of a run: are all ranks there, and about to do the same?

#include "contextual/autotuner/resolved_options.hpp"
#include "contextual/sync/exchange.hpp"

#include <exception>
#include <string>
#include <string_view>

namespace contextual::autotuner {

/// Compares region, options and environment on all ranks, and tells them what could not be set up here
/// (`setup_failure`, which is then rethrown). `timer` is the name of this run's timer, empty where nothing is
/// tuned: ranks whose times count must have the same one, or the maximum of their times means nothing.
/// Returns an id of this tuning run that is equal on all ranks and of no other run.
///
/// Throws RegionFailedError for another rank's set-up, RankMismatchError naming what differs,
/// CommunicationError.
std::string say_hello(sync::Exchange& exchange, const std::string& region, const ResolvedOptions& options,
                      std::string_view timer, const std::exception_ptr& setup_failure);

}  // namespace contextual::autotuner
